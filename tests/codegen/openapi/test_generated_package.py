"""The package of a small document: its client and its server understand each other."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from a2wsgi import WSGIMiddleware
from click.testing import CliRunner, Result
from pydantic import ValidationError
from werkzeug.test import Client

from codegen.compare import differences
from lakepact.cli import main
from round_trips import Handlers, Package, round_trips

from .conftest import PETSTORE

FILES = [
    *("__init__.py", "answers.py", "client.py", "contract.py", "endpoints.py", "models.py"),
    *("operations.py", "py.typed", "server.py", "wire.py", "wsgi.py"),
]


def test_command_writes_every_module(generation: tuple[Result, Path]) -> None:
    result, folder = generation

    assert result.exit_code == 0
    assert sorted(path.name for path in folder.iterdir() if path.is_file()) == FILES


def test_command_leaves_nothing_beside_its_folder(generation: tuple[Result, Path]) -> None:
    assert list(generation[1].parent.iterdir()) == [generation[1]]


def test_command_reports_each_unsupported_construct_with_its_line(
    generation: tuple[Result, Path],
) -> None:
    findings = [line.removeprefix(f"{PETSTORE}:") for line in generation[0].stderr.splitlines()]

    assert findings == [
        "14: #/paths/~1pets/get/parameters/3 the parameter is left out: it is a cookie",
        "15: #/paths/~1pets/get/parameters/4 the parameter is left out: its style is deepObject",
        "32: #/paths/~1pets/post/callbacks is left out",
        "28: #/paths/~1pets/post/requestBody/content/application~1xml is left out: application/json is used",
        "35: #/paths/~1pets~1{petId}~1photo/get has no operationId: it is called get_pets_pet_id_photo",
        "51: #/paths/~1notes/post/responses/204/content is left out: HTTP has no body in an answer 204",
    ]


def test_second_run_writes_the_same_bytes(generation: tuple[Result, Path], tmp_path: Path) -> None:
    again = CliRunner().invoke(
        main, ["generate", str(PETSTORE), "--out", str(tmp_path / "petstore")]
    )

    assert (again.exit_code, differences(generation[1], tmp_path / "petstore")) == (0, [])


@pytest.mark.parametrize("seed", range(3))
def test_every_operation_makes_a_round_trip(petstore: Package, seed: int) -> None:
    assert round_trips(petstore.name, seed) == (10, [])


def test_client_of_event_loops_makes_a_round_trip(petstore: Package) -> None:
    handlers = Handlers()
    handlers.answer = [petstore.models.Cat(name="Mia", lives=7)]
    application: Any = WSGIMiddleware(petstore.server.application(handlers))

    async def list_pets_in_a_loop() -> Any:
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(application), base_url="http://pets"
        ) as http:
            return await petstore.client.AsyncClient(http).send(
                petstore.endpoints.list_pets(limit=3, kinds=["cat", "dog"])
            )

    assert asyncio.run(list_pets_in_a_loop()) == [petstore.models.Cat(name="Mia", lives=7)]
    assert handlers.arguments == {"limit": 3, "kinds": ["cat", "dog"]}


def test_discriminator_chooses_the_model(petstore: Package) -> None:
    adapter = petstore.contract.adapter(petstore.models.Pet)

    assert adapter.validate_python({"kind": "dog", "name": "Rex"}) == petstore.models.Dog(
        name="Rex"
    )
    with pytest.raises(ValidationError):
        adapter.validate_python({"kind": "fish", "name": "Nemo"})


def test_invalid_parameter_returns_400(petstore: Package) -> None:
    reply = Client(petstore.server.application(Handlers())).get("/pets?limit=many")

    assert (reply.status_code, reply.content_type) == (400, "application/problem+json")
    assert [error["msg"] for error in json.loads(reply.data)["errors"]] == [
        "Input should be a valid integer, unable to parse string as an integer"
    ]


def test_missing_body_returns_400(petstore: Package) -> None:
    assert Client(petstore.server.application(Handlers())).post("/pets").status_code == 400


def test_unknown_path_returns_404_and_unknown_method_405(petstore: Package) -> None:
    client = Client(petstore.server.application(Handlers()))

    assert (client.get("/shops").status_code, client.delete("/pets").status_code) == (404, 405)


def test_problem_becomes_the_documented_error(petstore: Package) -> None:
    handlers = Handlers()
    handlers.answer = petstore.contract.Problem(
        409, petstore.models.Error(code=7, message="is there already")
    )
    with httpx.Client(
        transport=httpx.WSGITransport(petstore.server.application(handlers)), base_url="http://pets"
    ) as http:
        call = petstore.endpoints.create_pet(body=petstore.models.Cat(name="Mia"))
        with pytest.raises(petstore.client.ResponseError) as exc_info:
            petstore.client.Client(http).send(call)

    assert (exc_info.value.status, exc_info.value.body.code) == (409, 7)


def test_undocumented_success_is_an_invalid_response(petstore: Package) -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json=[{"name": "Mia"}]))
    with (
        httpx.Client(transport=transport, base_url="http://pets") as http,
        pytest.raises(petstore.client.InvalidResponse) as invalid,
    ):
        petstore.client.Client(http).send(petstore.endpoints.list_pets())

    assert invalid.value.body == b'[{"name":"Mia"}]'
