# An image of logdump: docker build -t logdump . && docker run --rm -v /path/to/dirdat:/trails logdump doctor lt
FROM python:3.13 AS build
ENV SOURCE=/source WHEELS=/wheels
COPY . /source
RUN python -m pip wheel --no-deps --wheel-dir "$WHEELS" "$SOURCE"

FROM python:3.13-slim
ENV WHEELS=/wheels
COPY --from=build /wheels /wheels
RUN python -m pip install --no-cache-dir "$WHEELS"/logdump-*.whl
USER nobody
WORKDIR /trails
ENTRYPOINT ["logdump"]
