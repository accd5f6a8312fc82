// A bench loads this before the service. A SIGUSR2 replaces the HTTP call to the vendor by an answer inside the
// process, and the next one restores it.
const { setTimeout: pause } = require('node:timers/promises');

const { FalMediaProvider } = require('../../dist/src/models/providers/fal/fal-media.provider.js');

const ANSWERS_AFTER_MS = 5;
const overHttp = Reflect.get(FalMediaProvider.prototype, 'status');
let isInside = false;

FalMediaProvider.prototype.status = function status(...args) {
  return isInside ? pause(ANSWERS_AFTER_MS, { state: 'running' }) : Reflect.apply(overHttp, this, args);
};
process.on('SIGUSR2', () => {
  isInside = !isInside;
});
