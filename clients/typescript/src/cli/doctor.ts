import { type Call, type Said } from './command.ts';
import { MONEY } from './doctor-money.ts';
import { PLACE } from './doctor-place.ts';
import { Misused, keyOf } from './options.ts';
import { type Check, type Finding, type Outcome, Patient, bad, ok } from './patient.ts';
import { asAddress } from './who-pays.ts';

const MARKS: Readonly<Record<Outcome, string>> = { ok: '✓', look: '!', bad: '✗', skipped: '-' };
const COLOURS: Readonly<Record<Outcome, string>> = { ok: '32', look: '33', bad: '31', skipped: '2' };

const lineOf = ({ name, outcome, text, mend }: Finding, isColoured: boolean): string => {
  const mark = isColoured ? `\u001B[${COLOURS[outcome]}m${MARKS[outcome]}\u001B[0m` : MARKS[outcome];
  return `${mark} ${name.padEnd(16)} ${text}${mend === undefined ? '' : `\n${' '.repeat(19)}${mend}`}`;
};

const tried = async (name: string, check: Check, patient: Patient): Promise<Finding> => {
  try {
    return { name, ...(await check(patient)) };
  } catch (error) {
    const { message, cause } = error as Error & { cause?: { code?: string } };
    return {
      name,
      ...bad(
        `no answer: ${cause?.code ?? message}`,
        'Try again; then look at the service and at the network.',
      ),
    };
  }
};

/** Examines a service from the outside, one thing after another, and says what to mend. */
export const doctor = async ({ words, options, baseUrl }: Call): Promise<Said> => {
  const [word, ...rest] = words;
  if (rest.length > 0) throw new Misused('Give one address.');
  const address = word === undefined ? baseUrl : asAddress(word);
  const patient = new Patient(address, keyOf(options));
  const findings = [
    await tried(
      'reachable',
      async () => {
        const { status, ms } = await patient.send('/health/live');
        return status === 200
          ? ok(`${patient.base.href} answers in ${Math.round(ms)} ms`)
          : bad(`${patient.base.href} answers ${status}`, 'Is the address right, and the service started?');
      },
      patient,
    ),
  ];
  const isThere = findings[0]?.outcome === 'ok';
  if (isThere)
    for (const [name, check] of Object.entries({ ...PLACE, ...MONEY }))
      findings.push(await tried(name, check, patient));
  const wrong = findings.filter(({ outcome }) => outcome === 'bad').length;
  const isColoured = process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
  const summary = wrong === 0 ? 'Nothing has to be mended.' : `${wrong} of ${findings.length} to mend.`;
  return {
    json: { url: patient.base.href, isWell: wrong === 0, findings },
    text: [...findings.map((one) => lineOf(one, isColoured)), '', summary].join('\n'),
    exitCode: wrong === 0 ? 0 : 1,
  };
};
