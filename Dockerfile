# lakepact with `serve` and `check`: docker build -t lakepact . && docker run --rm -p 8181:8181 lakepact
FROM python:3.13-slim AS build
ARG EXTRAS=conformance
WORKDIR /src
COPY . .
RUN python -m venv /opt/lakepact && \
    /opt/lakepact/bin/pip install --no-cache-dir --quiet ".[$EXTRAS]" && \
    /opt/lakepact/bin/pip uninstall --quiet --yes pip

FROM python:3.13-slim
COPY --from=build /opt/lakepact /opt/lakepact
ENV PATH=/opt/lakepact/bin:$PATH PYTHONUNBUFFERED=1
RUN useradd --system --uid 10001 --home-dir /data --create-home lakepact
USER 10001
WORKDIR /data
EXPOSE 8181
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8181/healthz', timeout=2)"]
ENTRYPOINT ["lakepact"]
CMD ["serve", "--host", "0.0.0.0", "--warehouse", "/data/warehouse"]
