/** The file has no duration that is certain. The message completes a sentence that begins with the file. */
class Refused extends Error {}

const refuse = (why) => {
  throw new Refused(why);
};

const tagAt = (file, at) => file.toString('latin1', at, at + 4);

/** The sample rates that recordings have. */
const RATE = { min: 7_350, max: 192_000 };

module.exports = { RATE, Refused, refuse, tagAt };
