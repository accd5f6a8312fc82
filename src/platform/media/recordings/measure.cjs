// Measures a recording. It runs in a child process, because a stranger made the file. It has no dependencies, so these
// files are all the code that reads it. Each reader walks the whole file, counts what any player could play, and refuses
// a file whose parts do not add up. The result is the largest of what the packets and the container say.
const { readFileSync } = require('node:fs');

const { m4aSeconds } = require('./m4a.cjs');
const { mp3Seconds } = require('./mp3.cjs');
const { oggSeconds } = require('./ogg.cjs');
const { Refused, tagAt } = require('./refused.cjs');
const { wavSeconds } = require('./wav.cjs');
const { webmSeconds } = require('./webm.cjs');

const WEBM = 0x1a45dfa3;

/** The first bytes decide the format, as for the readers of providers. */
const secondsOf = (file) => {
  if (tagAt(file, 0) === 'RIFF' && tagAt(file, 8) === 'WAVE') return wavSeconds(file);
  if (tagAt(file, 0) === 'OggS') return oggSeconds(file);
  if (file.length > 4 && file.readUInt32BE(0) === WEBM) return webmSeconds(file);
  return tagAt(file, 4) === 'ftyp' ? m4aSeconds(file) : mp3Seconds(file);
};

/** The seconds, or the reason why the file has no certain duration. */
const measure = (file) => {
  try {
    return { seconds: secondsOf(file) };
  } catch (error) {
    // Reading behind the end of a part throws an error of the range.
    if (!(error instanceof Refused) && error?.code !== 'ERR_OUT_OF_RANGE') throw error;
    return { reason: error instanceof Refused ? error.message : 'is cut off' };
  }
};

module.exports = { measure };

if (require.main === module) {
  // A supervisor sends these to the whole group. The work ends with its result, and the parent ends this process.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined);

  process.on('message', ({ path }) => {
    process.send({ result: measure(readFileSync(path)) });
  });
}
