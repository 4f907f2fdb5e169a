# Foragers in a container: built from this repository, run by a user without rights.
#   docker build -t foragers .
#   docker run --rm -v "$PWD:/data" foragers demo
FROM python:3.12-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN pip wheel --no-cache-dir --wheel-dir /wheels ".[postgres,serve,parquet]"

FROM python:3.12-slim
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index --find-links /wheels "foragers[postgres,serve,parquet]" \
    && useradd --create-home --uid 1000 crawler \
    && install --directory --owner crawler /data
USER crawler
WORKDIR /data
VOLUME /data
ENTRYPOINT ["foragers"]
CMD ["--help"]
