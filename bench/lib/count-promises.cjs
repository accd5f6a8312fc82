// Loaded into the service: counts promises from SIGUSR2 on, and says at the end how many there were.
const { createHook } = require('node:async_hooks');

let promises = 0;
let isCounting = false;
createHook({
  init: (_id, type) => {
    if (isCounting && type === 'PROMISE') promises += 1;
  },
}).enable();
process.on('SIGUSR2', () => {
  isCounting = !isCounting;
  if (!isCounting) process.stderr.write(`promises: ${promises}\n`);
});
