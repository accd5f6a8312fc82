// The stages of a paid call. A sample of the profiler belongs to the stage of the nearest file of ours, or of a
// package, on its stack.
const STAGES = [
  [
    'reads and answers (Fastify, Node)',
    /node_modules\/(fastify|find-my-way|avvio|fast-|secure-json|@fastify)|^node:_http_(server|incoming|outgoing|common)/,
  ],
  ['hooks and limits', /src\/platform\/http\/(hooks|http-app|limits|answers|drain|routes)/],
  ['the body', /src\/platform\/(http\/body|media)|node_modules\/ajv/],
  ['guards and interceptor (Nest, RxJS)', /node_modules\/(@nestjs|rxjs)/],
  [
    'price and payer',
    /src\/(models\/catalog|people\/(keys|identity|accounts)|money\/billing\/(prices|rails|quotes|calls\/(quote|claim|payer)))|node_modules\/lru-cache/,
  ],
  ['content policy', /src\/(models\/providers\/policy|work\/chat\/.*screening)/],
  ['the charge', /src\/money\/billing\/(calls|charges|ledger)/],
  ['sealing the answer', /src\/money\/billing\/calls\/answer-vault/],
  ['Postgres', /src\/platform\/database|node_modules\/pg/],
  [
    'the vendor',
    /src\/(models\/providers|work\/chat|platform\/http\/outgoing)|node_modules\/(undici|eventsource-parser)|^node:_http_(client|agent)/,
  ],
  ['metrics and log', /src\/platform\/telemetry|node_modules\/(prom-client|pino)/],
  ['clocks and queues', /src\/platform\/queue|node_modules\/bullmq/],
  ['ids and money', /src\/kernel/],
];

const stageOf = (place) => {
  // The last match counts, because the list has a narrower stage after the stage that contains it.
  const found = STAGES.filter(([, pattern]) => pattern.test(place)).at(-1);
  return found?.[0] ?? 'Node itself';
};

/** The milliseconds of processor time by stage, from a sampled profile without its first `skipMs`. */
export const stagesOf = (profile, skipMs) => {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(
    profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
  );
  const names = new Map();
  const nameOf = (id) => {
    const { functionName } = nodes.get(id).callFrame;
    if (functionName === '(idle)') return undefined;
    if (functionName === '(garbage collector)') return 'garbage';
    for (let at = id; at !== undefined; at = parents.get(at)) {
      const { url } = nodes.get(at).callFrame;
      if (url !== '' && (!url.startsWith('node:') || url.startsWith('node:_http'))) return stageOf(url);
    }
    return 'Node itself';
  };
  const byStage = new Map();
  let elapsed = 0;
  for (const [at, id] of profile.samples.entries()) {
    elapsed += profile.timeDeltas[at];
    if (elapsed < skipMs * 1_000) continue;
    if (!names.has(id)) names.set(id, nameOf(id));
    const name = names.get(id);
    if (name !== undefined) byStage.set(name, (byStage.get(name) ?? 0) + profile.timeDeltas[at] / 1_000);
  }
  return byStage;
};
