// Mistakes in the packages for callers, in the format of `bugs.mjs`. Each name begins with `packages`.

const WAYS_ON = 'test/clients/ways-on.spec';
const ABORTING = 'test/clients/aborting.spec';
const COMMAND = 'test/clients/command-line.spec';
const PAID_ONCE = 'test/clients/paid-once.spec';
const COMPILES = 'test/clients/compiles.spec';
const PYTHON = 'test/clients/python.spec';
const T = 'clients/typescript/src';
const P = 'clients/python/src/lamppost';

export const PACKAGE_BUGS = [
  {
    name: 'packages: a page of a gateway is a refusal',
    file: `${T}/errors.ts`,
    find: 'if (!isOurs) return',
    replace: 'if (!isOurs && status < 100) return',
    tests: [WAYS_ON, 'answered by a stranger'],
  },
  {
    name: 'packages: an error after a request has no key',
    file: `${T}/sender.ts`,
    find: '      reason.know(known);\n',
    replace: '',
    tests: [WAYS_ON, 'the key'],
  },
  {
    name: 'packages: an error of a wait has no job',
    file: `${T}/jobs.ts`,
    find: 'known: { ...known, jobId: id }',
    replace: 'known: {}',
    tests: [WAYS_ON, 'outlasts an absence'],
  },
  {
    name: 'packages: an error of a film does not know its charge',
    file: `${T}/making.ts`,
    find: '{ jobId, chargeId: charge.id } satisfies Known',
    replace: '{ jobId } satisfies Known',
    tests: [WAYS_ON, 'failed after it was accepted'],
  },
  {
    name: 'packages: a failed job has no reason for programs',
    file: `${T}/making.ts`,
    find: 'chargeState, job.errorCode)',
    replace: 'chargeState)',
    tests: [WAYS_ON, 'failed after it was accepted'],
  },
  {
    name: 'packages: JSON of another server is an answer',
    file: `${T}/sender.ts`,
    find: 'body !== null && isOurs(body)',
    replace: 'body !== null',
    tests: [WAYS_ON, 'JSON of another server'],
  },
  {
    name: 'packages: a page of another server is a file',
    file: `${T}/sender.ts`,
    find: 'blob.size === 0 || ',
    replace: '',
    tests: [WAYS_ON, 'the file is empty'],
  },
  {
    name: 'packages: a paid call is given up after six tries',
    file: `${T}/sender.ts`,
    find: '(known.idempotencyKey === undefined ? FREE_TRIES : Infinity)',
    replace: 'FREE_TRIES',
    tests: [WAYS_ON, 'for a minute by the clock'],
  },
  {
    name: 'packages: a paid call is tried for ever',
    file: `${T}/sender.ts`,
    find: 'PATIENCE_MS - goneMs',
    replace: 'PATIENCE_MS',
    tests: [WAYS_ON, 'for a minute by the clock'],
  },
  {
    name: 'packages: a wait ends after a minute',
    file: `${T}/sender.ts`,
    find: 'const leftMs = isWait ? Infinity :',
    replace: 'const leftMs =',
    tests: [WAYS_ON, 'outlasts an absence'],
  },
  {
    name: 'packages: a wait says so at each try',
    file: `${T}/sender.ts`,
    find: '        isSaid = true;\n',
    replace: '',
    tests: [WAYS_ON, 'outlasts an absence'],
  },
  {
    name: 'packages: an abort leaves its listener',
    file: `${T}/on-abort.ts`,
    find: "    signal.removeEventListener('abort', run);\n",
    replace: '',
    tests: [ABORTING, 'leaves no listener on its signal'],
  },
  {
    name: 'packages: an abort of a film waits for its cancellation',
    file: `${T}/making.ts`,
    find: '      throw new CallAborted(known, signal.reason, this.fateAfterAbort(idempotencyKey));',
    replace:
      '      const fate = await this.fateAfterAbort(idempotencyKey);\n      throw new CallAborted(known, signal.reason, Promise.resolve(fate));',
    tests: [ABORTING, 'is over at once'],
  },
  {
    name: 'packages: an aborted film goes on',
    file: `${T}/making.ts`,
    find: "if (job?.status === 'running') await",
    replace: "if (job?.status === 'done') await",
    tests: [ABORTING, 'is cancelled while its film is waited for'],
  },
  {
    name: 'packages: a repeated call is counted twice',
    file: `${T}/budget.ts`,
    find: 'const book = isReplay ?',
    replace: 'const book = !isReplay ?',
    tests: [WAYS_ON, 'is counted once'],
  },
  {
    name: 'packages: a repetition is signed and counted again',
    file: `${T}/per-call.ts`,
    find: '      this.#paid.push(key);\n',
    replace: '      forget();\n',
    tests: [PAID_ONCE, 'by the TypeScript package'],
  },
  {
    name: 'packages: the key of a stream ends with an unknown outcome',
    file: `${T}/completions.ts`,
    find: "isOpen = !(error instanceof LamppostError && error.chargeState === 'released');",
    replace: 'isOpen = false;',
    tests: [PAID_ONCE, 'by the TypeScript package'],
  },
  {
    name: 'packages: the types of proofs do not compile',
    file: `${T}/checkpoint.ts`,
    find: '/** The signed state of a log. */',
    replace: '/** @internal */',
    tests: [COMPILES, 'compiles by TypeScript the newest and bundler'],
  },
  {
    name: 'packages: a bundler replaces the files of a server',
    file: 'tools/build-client.mjs',
    find: 'import(/* webpackIgnore: true */ /* @vite-ignore */ $1)',
    replace: 'import($1)',
    tests: [COMPILES, 'webpack has bundled'],
  },
  {
    name: 'packages: the file of keys is open to everybody',
    file: `${T}/cli/stored-keys.ts`,
    find: 'mode: 0o600, flag',
    replace: 'mode: 0o644, flag',
    tests: [COMMAND, 'remembers the account'],
  },
  {
    name: 'packages: an account is made before the arguments are checked',
    file: `${T}/cli.ts`,
    find: '    await command.check?.({ words, options });\n',
    replace: '',
    tests: [COMMAND, 'remembers the account'],
  },
  {
    name: 'packages: a stored key goes to any service',
    file: `${T}/cli/stored-keys.ts`,
    find: 'return Object.hasOwn(keys, origin) ? keys[origin] : undefined;',
    replace: 'return keys[origin] ?? Object.values(keys)[0];',
    tests: [COMMAND, 'logs in with a key'],
  },
  {
    name: 'packages: a new key has more than its line',
    file: `${T}/cli/keys.ts`,
    find: '        return key;\n',
    replace: '        return `${key}\\nIt is shown only now.`;\n',
    tests: [COMMAND, 'prints a new key alone'],
  },
  {
    name: 'packages: Python takes a page of a gateway for a refusal',
    file: `${P}/_sender.py`,
    find: 'if not (isinstance(code, str) and code) and "payment-required" not in headers:',
    replace: 'if False:',
    tests: [PYTHON, 'passes its own tests'],
  },
  {
    name: 'packages: Python counts a repeated call twice',
    file: `${P}/_budget.py`,
    find: 'if not (is_replay and key in self._journal.read().paid):',
    replace: 'if True:',
    tests: [PYTHON, 'passes its own tests'],
  },
  {
    name: 'packages: Python gives a wait up after a minute',
    file: `${P}/_sender.py`,
    find: 'if request.waits is None else math.inf',
    replace: 'if True else math.inf',
    tests: [PYTHON, 'passes its own tests'],
  },
  {
    name: 'packages: Python does not know a misspelt option',
    file: `${P}/_api.py`,
    find: '        check(options, known, where)\n',
    replace: '',
    tests: [PYTHON, 'passes its own tests'],
  },
  {
    name: 'packages: Python signs a repetition again',
    file: `${P}/_per_call.py`,
    find: '            if len(self._paid) > KEPT_MAX:',
    replace: '            if len(self._paid) > 0:',
    tests: [PAID_ONCE, 'by the Python package'],
  },
];
