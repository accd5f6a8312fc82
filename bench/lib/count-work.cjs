// `bench -- counts` loads this into the service. The first SIGUSR2 begins to count, and the second one prints the counts.
const { createHook } = require('node:async_hooks');
const crypto = require('node:crypto');
const { EventEmitter } = require('node:events');
const { Client } = require('pg');

let counts;
const add = (name) => {
  if (counts !== undefined) counts[name] = (counts[name] ?? 0) + 1;
};
const count = (owner, method, nameOf) => {
  const original = owner[method];
  owner[method] = function (...args) {
    add(nameOf(...args));
    return original.apply(this, args);
  };
};

createHook({
  init: (_id, type) => {
    if (type === 'Timeout') add('timers');
    if (type === 'PROMISE') add('promises');
  },
}).enable();
for (const method of ['on', 'once', 'addListener']) count(EventEmitter.prototype, method, () => 'listeners');
count(EventTarget.prototype, 'addEventListener', () => 'listeners');
for (const method of ['hash', 'createHash', 'createHmac']) count(crypto, method, () => 'hashes');
count(
  Client.prototype,
  'query',
  (query) => `sql ${query?.name ?? String(query?.text ?? query).slice(0, 40)}`,
);

process.on('SIGUSR2', () => {
  if (counts === undefined) {
    globalThis.gc();
    counts = {};
    counts.heap = -process.memoryUsage().heapUsed;
    return;
  }
  const result = counts;
  result.heap += process.memoryUsage().heapUsed;
  counts = undefined;
  process.stderr.write(`counts ${JSON.stringify(result)}\n`);
});
