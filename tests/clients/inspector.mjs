// The Inspector's command line, run once for each call of stdin, a JSON list of {"tool",
// "arguments"}: as often in one process as a shell would start it, against one server.
//
//   inspector.mjs ERA URL
//
// Prints one JSON line for `tools/list --strict`, then one for each call: {"exit": 0, "result"},
// or with another exit status {"exit", "result"?, "error"}.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { runCli } from "./node_modules/@modelcontextprotocol/inspector/clients/cli/build/index.js";
import { print } from "./ts_calls.mjs";

const [era, url] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "inspector-"));

async function run(...options) {
  const output = join(folder, "result.json");
  rmSync(output, { force: true });
  const shared = ["--server-url", url, "--transport", "http", "--protocol-era", era];
  let ending = { exit: 0 };
  try {
    await runCli(["node", "inspector", ...shared, ...options, "--quiet", "--output", output]);
  } catch (error) {
    ending = { exit: error.exitCode ?? 1, error: error.message };
  }
  const result = readResult(output);
  return result === undefined ? ending : { ...ending, result };
}

function readResult(output) {
  try {
    return JSON.parse(readFileSync(output, "utf-8"));
  } catch {
    return undefined; // it failed before there was one
  }
}

try {
  print(await run("--method", "tools/list", "--strict"));
  for (const { tool, arguments: given } of JSON.parse(await text(process.stdin))) {
    const call = ["--tool-name", tool, "--tool-args-json", JSON.stringify(given)];
    print(await run("--method", "tools/call", ...call));
  }
} finally {
  rmSync(folder, { recursive: true });
}
process.exit(0); // as the Inspector's own entry does: a kept-alive connection would hold it
