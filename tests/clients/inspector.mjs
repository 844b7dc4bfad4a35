// The Inspector's command line, run once for each call of stdin, a JSON list of {"tool",
// "arguments"} or of {"method", "params"}: as often in one process as a shell would start it,
// against one server.
//
//   inspector.mjs ERA URL
//
// Prints one JSON line for `tools/list --strict`, then one for each call: the exit status as
// {"exit"}, with {"result"} and what else the Inspector printed, or else {"error"}.
import { text } from "node:stream/consumers";
import { runCli } from "./node_modules/@modelcontextprotocol/inspector/clients/cli/build/index.js";
import { print } from "./ts_calls.mjs";

const [era, url] = process.argv.slice(2);
const SHARED = ["--server-url", url, "--transport", "http", "--protocol-era", era, "--format", "json", "--quiet"];

async function run(...options) {
  const { written, error } = await capture(() => runCli(["node", "inspector", ...SHARED, ...options]));
  if (written) {
    return { exit: error?.exitCode ?? 0, ...JSON.parse(written) };
  }
  return { exit: error?.exitCode ?? 1, error: error?.message ?? "It printed nothing" };
}

async function capture(action) {
  const write = process.stdout.write;
  let written = "";
  process.stdout.write = (chunk, ...rest) => {
    written += chunk;
    rest.pop()?.(); // it waits until it is told that this was written
    return true;
  };
  try {
    await action();
    return { written };
  } catch (error) {
    return { written, error };
  } finally {
    process.stdout.write = write;
  }
}

print(await run("--method", "tools/list", "--strict"));
for (const { tool, arguments: given, method, params } of JSON.parse(await text(process.stdin))) {
  if (tool) {
    const call = ["--tool-name", tool, "--tool-args-json", JSON.stringify(given)];
    print(await run("--method", "tools/call", ...call));
  } else {
    print(await run("--method", method, ...(params?.uri ? ["--uri", params.uri] : [])));
  }
}
// As the Inspector's own entry does: a connection that is kept alive would hold it.
process.stdout.write("", () => process.exit(0));
