// Mistakes in how bytes of strangers are read. `find` occurs in its file exactly once.

const FORMS = 'test/http/broken-forms.spec';
const PARSER = 'src/platform/http/body/multipart.spec';
const BOMBS = 'test/adversary/decode-bombs.spec';
const RECORDINGS = 'test/adversary/lying-recordings.spec';
const CHILD = 'src/platform/threads/child.spec';
const SOLD = 'test/adversary/sold-quantities.spec';
const BATCHES = 'test/batches/odd-input.spec';

const MULTIPART = 'src/platform/http/body/multipart.ts';
const M4A = 'src/platform/media/recordings/m4a.cjs';
const WAV = 'src/platform/media/recordings/wav.cjs';
const MP3 = 'src/platform/media/recordings/mp3.cjs';
const OGG = 'src/platform/media/recordings/ogg.cjs';
const WEBM = 'src/platform/media/recordings/webm.cjs';
const CHILD_CODE = 'src/platform/threads/child.ts';

export const BUGS_OF_BYTES = [
  {
    name: 'bytes: the file of a form has no error listener',
    file: MULTIPART,
    find: '      withErrorListener(stream);\n      // The parser',
    replace: '      // The parser',
    tests: [PARSER, 'a file that ends'],
  },
  {
    name: 'bytes: a file after the fault of a form is stored',
    file: MULTIPART,
    find: '      if (isRefused) {\n        stream.resume();\n        return;\n      }\n',
    replace: '',
    tests: ['test/http/broken-forms.spec', 'a field without a name'],
  },
  {
    name: 'bytes: a handler of a part throws',
    file: MULTIPART,
    find: "parser.on('file', guarded(onFile));",
    replace: "parser.on('file', onFile);",
    tests: [PARSER, 'without a name'],
  },
  {
    name: 'bytes: parts of a form are not counted',
    file: MULTIPART,
    find: '        parts: fieldsMax + filesMax,\n',
    replace: '',
    tests: [PARSER, 'stops after the allowed number of parts that are no form-data'],
  },
  {
    name: 'bytes: a refused form is parsed to its end',
    file: MULTIPART,
    find: '    slices.unpipe(parser);\n    source.unpipe(slices);\n',
    replace: '',
    tests: [PARSER, 'stops after the allowed number of fields'],
  },
  {
    name: 'bytes: a connection that has ended reaches the limits',
    file: 'src/hook-order.ts',
    find: '  first(refuseHungUp);\n',
    replace: '',
    tests: [FORMS, 'hangs up'],
  },
  {
    name: 'bytes: all formats of pictures are read',
    file: 'src/platform/media/image-library.ts',
    find: "sharp.block({ operation: ['VipsForeignLoad'] });\n",
    replace: '',
    tests: [BOMBS, 'never reach another reader'],
  },
  {
    name: 'bytes: the label of a checked file decides its type',
    file: 'src/work/jobs/provenance-check.controller.ts',
    find: 'const mime = sniffMedia(bytes);',
    replace: "const mime: string | undefined = media.slice('data:'.length, media.indexOf(';'));",
    tests: ['test/jobs/provenance-check.spec', 'label'],
  },
  {
    name: 'bytes: a child process may run for ever',
    file: CHILD_CODE,
    find: '}, milliseconds);',
    replace: '}, 100 * milliseconds);',
    tests: [CHILD, 'takes too long'],
  },
  {
    name: 'bytes: a late child process is not ended',
    file: CHILD_CODE,
    find: "this.isKilled = true;\n    this.process.kill('SIGKILL');",
    replace: 'this.isKilled = true;',
    tests: [CHILD, 'takes too long'],
  },
  {
    name: 'bytes: a decoder that ended is used again',
    file: 'src/platform/threads/child-pool.ts',
    find: 'if (result === undefined || works',
    replace: 'if (works',
    tests: ['src/platform/threads/child-pool.spec', 'replaces a child'],
  },
  {
    name: 'bytes: an image is unreadable because of the image before it',
    file: 'src/platform/threads/child-pool.ts',
    find: 'return result === undefined && kept.child.hasEnded ? this.runFresh(data) : result;',
    replace: 'return result;',
    tests: ['src/platform/threads/child-pool.spec', 'tries again'],
  },
  {
    name: 'bytes: a child process has the environment of the service',
    file: CHILD_CODE,
    find: '      env: {},\n',
    replace: '',
    tests: [CHILD, 'no environment'],
  },
  {
    name: 'bytes: a recording may have several Ogg streams',
    file: OGG,
    find: "refuse('has more than one Ogg stream');",
    replace: 'undefined;',
    tests: [RECORDINGS, 'two Ogg streams, one after the other'],
  },
  {
    name: 'bytes: bytes between Ogg pages end the recording',
    file: OGG,
    find: "refuse('has other bytes between its Ogg pages');",
    replace: 'break;',
    tests: [RECORDINGS, 'bytes between Ogg pages'],
  },
  {
    name: 'bytes: the rate of SBR counts, not that of the core',
    file: M4A,
    find: '  const rate = rateOf();\n  const channels = read(4);\n  if (AAC_SBR.includes(type)) {\n    rateOf();',
    replace:
      '  let rate = rateOf();\n  const channels = read(4);\n  if (AAC_SBR.includes(type)) {\n    rate = rateOf();',
    tests: [RECORDINGS, 'SBR that names'],
  },
  {
    name: 'bytes: edits that repeat a part are free',
    file: M4A,
    find: '    editedSeconds(track, whole.scale),\n',
    replace: '',
    tests: [RECORDINGS, 'edits that repeat'],
  },
  {
    name: 'bytes: samples in fragments are free',
    file: M4A,
    find: '((sizes.count + inFragments) * AAC_SAMPLES)',
    replace: '(sizes.count * AAC_SAMPLES)',
    tests: [RECORDINGS, 'samples in fragments'],
  },
  {
    name: 'bytes: a WAV format may contradict itself',
    file: WAV,
    find: 'if (block !== (channels * bits) / 8 || perSecond !== rate * block)',
    replace: 'if (perSecond === 0)',
    tests: [RECORDINGS, 'odd block alignment'],
  },
  {
    name: 'bytes: other chunks may hide WAV data',
    file: WAV,
    find: "file.subarray(body, end).indexOf('data')",
    replace: '-1',
    tests: [RECORDINGS, 'another chunk hides'],
  },
  {
    name: 'bytes: MP3 may change its channels',
    file: MP3,
    find: 'frame.channels !== first.channels || ',
    replace: '',
    tests: [RECORDINGS, 'changes its channels'],
  },
  {
    name: 'bytes: Matroska is sold with any codec',
    file: WEBM,
    find: "if (sound[0].codec !== 'A_OPUS')",
    replace: 'if (sound[0].codec === undefined)',
    tests: [RECORDINGS, 'AAC in Matroska'],
  },
  {
    name: 'bytes: a line of a batch is parsed before it is guarded',
    file: 'src/work/batches/batch-calls.ts',
    find: '  new JsonGuard().feed(bytes);\n',
    replace: '',
    tests: [BATCHES, 'hundred thousand levels|millions of empty arrays'],
  },
  {
    name: 'bytes: metadata of a batch may contain U+0000',
    file: 'src/work/batches/batches.dto.ts',
    find: 'maxLength: 512, pattern: STORABLE',
    replace: 'maxLength: 512',
    tests: [BATCHES, 'in a value'],
  },
  {
    name: 'sold: a film may be as short as its vendor likes',
    file: 'src/platform/media/media-proof.ts',
    find: '  refuseLess(film, least);',
    replace: '  refuseLess(film, { pixels: least.pixels });',
    tests: [SOLD, '7 seconds at'],
  },
  {
    name: 'sold: a film of another tier is kept',
    file: 'src/platform/media/media-proof.ts',
    find: '  refuseLess(film, least);',
    replace: '  refuseLess(film, { seconds: least.seconds });',
    tests: [SOLD, '854 by 480.*failed'],
  },
  {
    name: 'sold: a picture with fewer pixels is kept',
    file: 'src/platform/media/media-proof.ts',
    find: '    refuseLess({ seconds: 0, pixels }, { pixels: least.pixels });\n',
    replace: '',
    tests: [SOLD, 'of a picture: 1536x1024'],
  },
  {
    name: 'sold: a job forgets what its results must have',
    file: 'src/work/generation/generation.service.ts',
    find: '        leastResult: leastResultOf(model.mode, options, media?.video?.seconds),\n',
    replace: '',
    tests: [SOLD, 'of a picture: 2K'],
  },
  {
    name: 'sold: a film of a shorter clip must have the sold seconds',
    file: 'src/work/generation/least-result.ts',
    find: "mode === 'motion' ? clipSeconds : seconds",
    replace: 'seconds',
    tests: [SOLD, 'that follows a clip'],
  },
  {
    name: 'sold: a tier accepts the next smaller one',
    file: 'src/work/generation/least-result.ts',
    find: 'const TIER_SHARE = 0.5;',
    replace: 'const TIER_SHARE = 0.4;',
    tests: ['src/work/generation/least-result.spec', 'is above a film of'],
  },
];
