"""A hostile catalog gets neither files of this machine, nor a token, nor code run, through the
tables of pyiceberg.
"""

from __future__ import annotations

import json
import pickle

import pyarrow as pa
import pytest

from lakepact.cli import main
from lakepact.client import BadReply, BearerToken, IcebergCatalog, UntrustedOrigin, pyiceberg_table
from lakepact.reference_server import running
from sample_tables.schemas import OPTIONAL as SCHEMA
from server_doubles.hostile_origins import Origin, resolve, serving

TOKEN = "planted-Token.0123456789"
ROWS = pa.table({"id": [1, 2, 3]})
FSSPEC = "pyiceberg.io.fsspec.FsspecFileIO"


@pytest.fixture(scope="module")
def reply():
    """Return what a server answers for a table of three rows in files of this machine."""
    with running(contract="iceberg_rest") as server, IcebergCatalog(server.url) as catalog:
        catalog.create_namespace("n")
        catalog.create_table("n.t", SCHEMA)
        pyiceberg_table(catalog, "n.t").append(ROWS)
        yield catalog.load_table("n.t").to_wire()


@pytest.fixture
def remote(monkeypatch):
    """Return a catalog that is at no loopback address, as far as the client can tell."""
    resolve(monkeypatch, catalog="127.0.0.1")
    with serving() as origin:
        origin.on("/v1/config", {"defaults": {}, "overrides": {}})
        yield origin


def address_of(origin: Origin) -> str:
    return f"http://catalog.test:{origin.port}"


def table(reply, *, config=None, properties=None, **members):
    metadata = {
        **reply["metadata"],
        "properties": {**reply["metadata"].get("properties", {}), **(properties or {})},
        **members,
    }
    return {**reply, "config": config or {}, "metadata": metadata}


def rows_of(catalog, **options):
    return pyiceberg_table(catalog, "n.t", **options).scan().to_arrow().to_pydict()


def test_files_of_this_machine_are_not_read_for_a_remote_catalog(remote, reply):
    remote.on("/v1/namespaces/n/tables/t", table(reply))

    with (
        IcebergCatalog(address_of(remote)) as catalog,
        pytest.raises(UntrustedOrigin, match=r'trusted_origins=\("file:",\)'),
    ):
        rows_of(catalog)


@pytest.mark.parametrize(
    "location",
    ["file:///etc/passwd", "FILE:/etc/passwd", "/etc/passwd", "etc/passwd", " file:///etc/passwd"],
)
@pytest.mark.parametrize("config", [{}, {"py-io-impl": FSSPEC}], ids=["pyarrow", "fsspec"])
def test_spelling_of_a_file_opens_none_of_this_machine(remote, reply, location, config):
    remote.on("/v1/namespaces/n/tables/t", table(reply, config=config))

    with IcebergCatalog(address_of(remote)) as catalog:
        io = pickle.loads(
            pickle.dumps(pyiceberg_table(catalog, "n.t").io)
        )  # as processes of Spark get it
        for use in (io.new_input, io.new_output, io.delete):
            with pytest.raises(UntrustedOrigin, match="of this machine"):
                use(location)


@pytest.mark.parametrize("origin", ["file:", "file://"])
def test_files_of_this_machine_are_read_where_the_caller_trusts_them(remote, reply, origin):
    remote.on("/v1/namespaces/n/tables/t", table(reply))

    with IcebergCatalog(address_of(remote), trusted_origins=(origin,)) as catalog:
        assert rows_of(catalog) == ROWS.to_pydict()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_files_of_this_machine_are_read_for_a_catalog_on_it(remote, reply, host):
    remote.on("/v1/namespaces/n/tables/t", table(reply))

    with IcebergCatalog(f"http://{host}:{remote.port}") as catalog:
        assert rows_of(catalog) == ROWS.to_pydict()


def test_cat_reads_files_of_this_machine_only_with_trust_origin(remote, reply, capfd):
    remote.on("/v1/namespaces/n/tables/t", table(reply))
    command = ["cat", address_of(remote), "n.t", "--json"]

    with pytest.raises(SystemExit) as refusal:
        main(command)
    error = capfd.readouterr().err
    with pytest.raises(SystemExit) as success:
        main([*command, "--trust-origin", "file:"])

    assert (refusal.value.code, "of this machine" in error) == (3, True)
    assert [json.loads(line)["id"] for line in capfd.readouterr().out.splitlines()] == [1, 2, 3]
    assert success.value.code == 0


SIGNER = {"py-io-impl": FSSPEC, "s3.signer": "S3V4RestSigner"}


@pytest.mark.parametrize("place", ["config", "properties"])
def test_signer_at_another_origin_gets_no_token(remote, reply, place):
    with serving() as evil:
        remote.on(
            "/v1/namespaces/n/tables/t",
            table(reply, **{place: {**SIGNER, "s3.signer.uri": evil.url}}),
        )

        with (
            IcebergCatalog(address_of(remote), auth=BearerToken(TOKEN)) as catalog,
            pytest.raises(UntrustedOrigin, match="signer") as exc_info,
        ):
            sign(pyiceberg_table(catalog, "n.t", properties={"token": TOKEN}).io.properties)

        assert not evil.saw(TOKEN)
        assert f'trusted_origins=("{evil.url}",)' in str(exc_info.value)


@pytest.mark.parametrize(
    "address", ["s3.signer.uri", "signer.uri", "uri", "s3.signer.endpoint", "signer.endpoint"]
)
def test_signer_of_the_configuration_at_another_origin_gets_no_token(remote, reply, address):
    with serving() as evil:
        remote.on("/v1/config", {"defaults": {**SIGNER, address: evil.url}, "overrides": {}})
        remote.on("/v1/namespaces/n/tables/t", table(reply))

        with (
            IcebergCatalog(address_of(remote), auth=BearerToken(TOKEN)) as catalog,
            pytest.raises(UntrustedOrigin),
        ):
            sign(pyiceberg_table(catalog, "n.t", properties={"token": TOKEN}).io.properties)

        assert not evil.saw(TOKEN)


@pytest.mark.parametrize("way", ["trusted", "catalog", "table"])
def test_signer_that_the_caller_names_or_trusts_gets_the_token(remote, reply, way):
    with serving() as signer:
        signer.on(
            "/v1/aws/s3/sign", {"uri": "http://bucket", "headers": {"Authorization": ["signed"]}}
        )
        remote.on(
            "/v1/namespaces/n/tables/t",
            table(reply, config={**SIGNER, "s3.signer.uri": signer.url}),
        )
        own = {"s3.signer.uri": signer.url}
        options = (
            {"trusted_origins": (signer.url,)}
            if way == "trusted"
            else {"properties": own}
            if way == "catalog"
            else {}
        )

        with IcebergCatalog(address_of(remote), auth=BearerToken(TOKEN), **options) as catalog:
            opaque = pyiceberg_table(
                catalog, "n.t", properties={"token": TOKEN, **(own if way == "table" else {})}
            )
            sign(opaque.io.properties)

        assert signer.saw(TOKEN)


def sign(properties):
    """Sign a request, as the file system of S3 does."""
    from botocore.awsrequest import AWSRequest  # noqa: PLC0415
    from pyiceberg.io.fsspec import S3V4RestSigner  # noqa: PLC0415

    request = AWSRequest("GET", "http://bucket/key")
    request.context["client_region"] = "eu-west-1"
    S3V4RestSigner({"uri": "http://unused.test", **properties})(request)


@pytest.mark.parametrize(
    "config",
    [
        {"gcs.service.host": "https://evil.test"},
        {"gcs.service.host": "https://evil.test", "gcs.oauth2.token": ""},
        {"hf.endpoint": "https://evil.test"},
        {"adls.account-host": "evil.test"},
        {"adls.blob-storage-authority": "evil.test"},
        {"adls.dfs-storage-authority": "evil.test:443"},
    ],
)
def test_store_at_another_origin_gets_no_token_of_this_machine(remote, reply, config):
    remote.on("/v1/namespaces/n/tables/t", table(reply, config=config))

    with (
        IcebergCatalog(address_of(remote)) as catalog,
        pytest.raises(UntrustedOrigin, match=r'trusted_origins=\("https://evil\.test",\)'),
    ):
        pyiceberg_table(catalog, "n.t")


@pytest.mark.parametrize("address", ["http://[", "", "a:b", "http://a:port", "https://a b"])
def test_invalid_address_of_a_store_is_a_bad_reply(remote, reply, address):
    remote.on(
        "/v1/namespaces/n/tables/t", table(reply, config={**SIGNER, "s3.signer.uri": address})
    )

    with IcebergCatalog(address_of(remote)) as catalog, pytest.raises(BadReply):
        pyiceberg_table(catalog, "n.t")


def test_store_that_the_server_gives_a_token_for_is_used(remote, reply):
    remote.on(
        "/v1/namespaces/n/tables/t",
        table(
            reply, config={"gcs.service.host": "https://store.test", "gcs.oauth2.token": "its own"}
        ),
    )

    with IcebergCatalog(address_of(remote)) as catalog:
        assert pyiceberg_table(catalog, "n.t").io.properties["gcs.oauth2.token"] == "its own"


def test_token_of_the_caller_goes_to_no_store_of_the_server(remote, reply):
    remote.on(
        "/v1/namespaces/n/tables/t",
        table(reply, config={"gcs.service.host": "https://evil.test", "gcs.oauth2.token": "a"}),
    )

    with IcebergCatalog(address_of(remote)) as catalog, pytest.raises(UntrustedOrigin):
        pyiceberg_table(catalog, "n.t", properties={"gcs.oauth2.token": TOKEN})


@pytest.mark.parametrize(
    "key", ["s3.endpoint", "s3.proxy-uri", "gcs.service.host", "adls.account-host"]
)
@pytest.mark.parametrize(
    "host", ["http://169.254.169.254", "169.254.169.254:80", "metadata.google.internal"]
)
def test_store_at_a_metadata_address_is_a_bad_reply(remote, reply, key, host):
    remote.on(
        "/v1/namespaces/n/tables/t",
        table(reply, config={key: host, "gcs.oauth2.token": "a", "adls.account-key": "a"}),
    )

    with (
        IcebergCatalog(address_of(remote)) as catalog,
        pytest.raises(BadReply, match="cloud metadata"),
    ):
        pyiceberg_table(catalog, "n.t")


@pytest.mark.parametrize("place", ["config", "properties", "defaults"])
def test_file_io_of_a_server_runs_no_code(remote, reply, tmp_path, place):
    """`subprocess.Popen` called with the properties runs their names."""
    attack = {"sh": "", "-c": "", f"touch {tmp_path}/ran": "", "py-io-impl": "subprocess.Popen"}
    if place == "defaults":
        remote.on("/v1/config", {"defaults": attack, "overrides": {}})
    remote.on(
        "/v1/namespaces/n/tables/t",
        table(reply, **({} if place == "defaults" else {place: attack})),
    )

    with (
        IcebergCatalog(address_of(remote), trusted_origins=("file:",)) as catalog,
        pytest.raises(BadReply, match=r"subprocess\.Popen"),
    ):
        pyiceberg_table(catalog, "n.t").io.wait()

    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("when", ["load", "commit"])
def test_location_provider_of_a_table_runs_no_code(remote, reply, tmp_path, when):
    """`exec` called with the location and the properties runs the location."""
    attack = table(
        reply,
        location=f"__import__('pathlib').Path('{tmp_path}/ran').touch()",
        properties={"write.py-location-provider.impl": "builtins.exec"},
    )
    remote.on("/v1/namespaces/n/tables/t", attack if when == "load" else table(reply))

    def write(catalog):
        opaque = pyiceberg_table(catalog, "n.t")
        remote.on("/v1/namespaces/n/tables/t", attack)
        with opaque.transaction() as change:
            change.set_properties(a="b")
        opaque.append(ROWS)

    with (
        IcebergCatalog(address_of(remote), trusted_origins=("file:",)) as catalog,
        pytest.raises(BadReply, match=r"builtins\.exec"),
    ):
        write(catalog)

    assert not list(tmp_path.iterdir())


def test_class_that_the_caller_names_too_is_used(remote, reply):
    name = {"write.py-location-provider.impl": "pyiceberg.table.locations.SimpleLocationProvider"}
    remote.on("/v1/namespaces/n/tables/t", table(reply, properties=name))

    with IcebergCatalog(address_of(remote)) as catalog:
        assert pyiceberg_table(catalog, "n.t", properties=name).location_provider().table_location
