import { harmless } from './output.ts';

/** The result of one check. */
type Outcome = 'ok' | 'look' | 'bad' | 'skipped';

export interface Finding {
  readonly name: string;
  readonly outcome: Outcome;
  readonly text: string;
  /** The remedy. */
  readonly mend?: string;
}

export type Verdict = Omit<Finding, 'name'>;

export const ok = (text: string): Verdict => ({ outcome: 'ok', text });
export const warning = (text: string, mend: string): Verdict => ({ outcome: 'look', text, mend });
export const bad = (text: string, mend: string): Verdict => ({ outcome: 'bad', text, mend });
export const skipped = (text: string): Verdict => ({ outcome: 'skipped', text });

export type Check<Subject> = (subject: Subject) => Promise<Verdict>;

const MARKS: Readonly<Record<Outcome, string>> = { ok: '✓', look: '!', bad: '✗', skipped: '-' };
const COLOURS: Readonly<Record<Outcome, string>> = { ok: '32', look: '33', bad: '31', skipped: '2' };

const lineOf = ({ name, outcome, text, mend }: Finding, isColoured: boolean): string => {
  const mark = isColoured ? `\u001B[${COLOURS[outcome]}m${MARKS[outcome]}\u001B[0m` : MARKS[outcome];
  const more = mend === undefined ? '' : `\n${' '.repeat(19)}${harmless(mend)}`;
  return `${mark} ${name.padEnd(16)} ${harmless(text)}${more}`;
};

const tried = async <Subject>(name: string, check: Check<Subject>, subject: Subject): Promise<Finding> => {
  try {
    return { name, ...(await check(subject)) };
  } catch (error) {
    const { message, cause } = error as Error & { cause?: { code?: string } };
    return {
      name,
      ...bad(
        `no answer: ${cause?.code ?? message}`,
        'Try again, and then look at the service and the network.',
      ),
    };
  }
};

/** Runs the checks one after the other, because concurrent checks could disturb each other. */
export const examined = async <Subject>(
  checks: Readonly<Record<string, Check<Subject>>>,
  subject: Subject,
): Promise<readonly Finding[]> => {
  const findings: Finding[] = [];
  for (const [name, check] of Object.entries(checks)) findings.push(await tried(name, check, subject));
  return findings;
};

export const countBad = (findings: readonly Finding[]): number =>
  findings.filter(({ outcome }) => outcome === 'bad').length;

/** All findings as text, with a summary. */
export const reportOf = (findings: readonly Finding[]): string => {
  const wrong = countBad(findings);
  const isColoured = process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
  const summary = wrong === 0 ? 'Nothing has to be fixed.' : `${wrong} of ${findings.length} to fix.`;
  return [...findings.map((one) => lineOf(one, isColoured)), '', summary].join('\n');
};
