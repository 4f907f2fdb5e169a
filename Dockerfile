# Foragers in a container: built from this repository, run by a user without rights.
#   docker build -t foragers .
#   docker run --rm -v "$PWD:/data" foragers demo
FROM python:3.12-slim AS build
# A compiler for the optional parts in C, which stays behind in this stage.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY pyproject.toml setup.py README.md LICENSE ./
COPY src src
RUN pip wheel --no-cache-dir --wheel-dir /wheels ".[postgres,serve]"

FROM python:3.12-slim
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index --find-links /wheels "foragers[postgres,serve]" \
    && find /usr/local/lib/python3.12/site-packages -depth -type d -name tests -exec rm -r {} + \
    && useradd --create-home --uid 1000 crawler \
    && install --directory --owner crawler /data
USER crawler
WORKDIR /data
VOLUME /data
ENTRYPOINT ["foragers"]
CMD ["--help"]
