// Makes the calls of stdin, a JSON list of {"tool", "arguments"} or, for other requests, of
// {"method", "params"}, one after the other, and prints one JSON line for tools/list, {"version",
// "tools"}, and one for each call: {"result"} as the client gave it, or {"error"} as it threw it.
import { text } from "node:stream/consumers";

export async function driveClient(client, version) {
  const { tools } = await client.listTools();
  print({ version, tools });
  for (const each of JSON.parse(await text(process.stdin))) {
    print(await outcome(() => ask(client, each)));
  }
  await client.close();
}

const ASK = {
  "resources/list": "listResources",
  "resources/templates/list": "listResourceTemplates",
  "resources/read": "readResource",
};

function ask(client, { tool, arguments: given, method, params }) {
  return tool ? client.callTool({ name: tool, arguments: given }) : client[ASK[method]](params);
}

export async function outcome(call) {
  try {
    return { result: await call() };
  } catch (error) {
    return { error: { name: error.name, code: error.code, message: error.message, data: error.data } };
  }
}

export function print(value) {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
