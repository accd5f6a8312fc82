// A bench loads this into the service. The first SIGUSR2 starts a count of promises, and the second one prints it.
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
