# mailmcp in a container: it serves over stdio, or over HTTP with `serve --transport http --host 0.0.0.0`.
FROM python:3.13-slim
COPY . /src
RUN pip install --no-cache-dir /src/src/mcp-envelope "/src[cluster]" && rm -rf /src && useradd --create-home mailmcp
USER mailmcp
ENTRYPOINT ["mailmcp"]
CMD ["serve"]
