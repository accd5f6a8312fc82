import { IS_NIGHTLY } from '../support/nightly';

/** The faults, by the letters of docs/faults.md. */
const FAULTS = {
  a: 'kill -9 of the process that answers',
  b: 'kill -9 of the workers',
  c: 'SIGTERM, as when a new version is rolled out',
  d: 'a pause that outlives the lease',
  e: 'the connections to the database are lost before a commit',
  f: 'the answer to a commit is lost',
  g: 'the database restarts at once',
  h: 'the statement is undone: deadlock, serialization, lock timeout',
  i: 'the disk of the database is full',
  j: 'the queue is down',
  k: 'the queue has lost its data',
  l: 'the queue delivers twice',
  m: 'the provider refuses',
  n: 'the provider is busy and has surely not taken the work',
  o: 'nobody knows whether the provider has taken the work',
  p: 'the provider answers late, twice, or the other way round',
  q: 'the provider answers garbage',
  r: 'the provider never ends',
  s: 'the chain is away',
  w: 'the client hangs up',
  x: 'the same call comes again at once',
  y: 'the same mark comes with another body',
  z: 'the same call comes again later',
  aa: 'the clock of a process is ten minutes off',
  ab: 'another process joins, another leaves',
  ac: 'the process has no connection left',
  ad: 'a migration runs',
} as const;

type Fault = keyof typeof FAULTS;

/**
 * Steps of a paid call, and the faults that can happen at each. `chain.spec.ts` plays the faults of the chain itself on
 * a real one, such as a forgotten payment. `npm run test:processes` plays those in `always`: each fault at the step
 * that it harms most. `npm run test:nightly` plays all.
 */
const STEPS = {
  2: {
    name: 'while the voucher of a channel is stored',
    faults: 'a d e s w y z',
    always: 's',
  },
  7: {
    name: 'while a call by channel is charged',
    faults: 'a d e s w y z',
    always: 'a',
  },
  4: {
    name: 'while a job is handed to its provider',
    faults: 'a b c d g k m n o p q w x y z aa ab ac ad',
    always: 'o q ac',
  },
  5: {
    name: 'after the provider has taken it, and before we have written that down',
    faults: 'a b c d e f g h i k p w x y z aa ab ac ad',
    always: 'b h x',
  },
  8: {
    name: 'while the answer is sent',
    faults: 'a c d g j w x y z aa ab ac ad',
    always: 'j w y',
  },
  9: {
    name: 'while the job runs',
    faults: 'a b c d e f g h i j k l m n o p q r x y z aa ab ac ad',
    always: 'c d k n p aa',
  },
  10: {
    name: 'while its end is written and its money given back',
    faults: 'a b c d e f g h i j k l m p q r x y z aa ab ac ad',
    always: 'e f i l m r ad',
  },
  11: {
    name: 'while text is streamed',
    faults: 'a c d e f g h i m n o q r w x y z aa ab ac ad',
    always: 'a g z ab',
  },
} as const;

export type Step = keyof typeof STEPS;

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

/** The faults that can happen to a call at this step. */
export type FaultAt<S extends Step> = Words<(typeof STEPS)[S]['faults']> & Fault;

/** Faults that only `npm run test:nightly` plays. */
export const onlyNightly = (): readonly string[] => {
  const always = new Set(Object.values(STEPS).flatMap((step) => step.always.split(' ')));
  return Object.keys(FAULTS).filter((fault) => !always.has(fault));
};

type Scenario = () => Promise<void>;

/** The tests of one step, by the promise that each checks. A fault without a test does not compile. */
export const testStep = <S extends Step>(
  step: S,
  tests: { readonly [F in FaultAt<S>]: Readonly<Record<string, Scenario>> },
): void => {
  const always: readonly string[] = STEPS[step].always.split(' ');
  for (const fault of STEPS[step].faults.split(' ') as FaultAt<S>[]) {
    const play = IS_NIGHTLY || always.includes(fault) ? describe : describe.skip;
    play(`${fault}${step}, ${FAULTS[fault]} ${STEPS[step].name}:`, () => {
      for (const [promise, scenario] of Object.entries(tests[fault])) it(promise, scenario);
    });
  }
};
