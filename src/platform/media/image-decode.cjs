// Reads the header of a stranger's image, or decodes it and makes something small of it. It runs in child processes.
// Nothing is left to do when the parent is gone, and a decoding thread can't be interrupted otherwise.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// A supervisor sends these to the whole group. The work ends with its result, and the parent ends this process.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined);

let prepared;
const prepare = (library, loaders) => {
  const sharp = require(library);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: loaders });
  sharp.cache(false);
  return sharp;
};

const work = async ({ source, steps, pixelsMax, seconds }) => {
  const bytes = typeof source === 'string' ? source : Buffer.from(source);
  if (steps === undefined) {
    const { width, height, pages, channels, depth, format, isProgressive } = await prepared(bytes, {
      limitInputPixels: false,
      failOn: 'error',
    }).metadata();
    return { width, height, pages, channels, depth, format, isProgressive };
  }
  const image = prepared(bytes, { limitInputPixels: pixelsMax, failOn: 'error' }).timeout({ seconds });
  const { data, info } = await steps
    .reduce((made, [name, ...values]) => made[name](...values), image)
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: info.channels };
};

process.on('message', (asked) => {
  prepared ??= prepare(asked.library, asked.loaders); // A library that can't be loaded is not the fault of the image.
  work(asked).then(
    (result) => process.send({ result }),
    (error) => process.send({ result: { unreadable: String(error) } }),
  );
});
