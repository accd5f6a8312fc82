import { type Call, type Said } from './command.ts';
import { MONEY } from './doctor-money.ts';
import { NETWORK } from './doctor-network.ts';
import { type Finding, bad, countBad, examined, ok, reportOf } from './findings.ts';
import { Misused, keyOf } from './options.ts';
import { type Check, Patient } from './patient.ts';
import { asAddress } from './who-pays.ts';

const REACHABLE: Readonly<Record<string, Check>> = {
  reachable: async (patient) => {
    const { status, ms } = await patient.send('/health/live');
    return status === 200
      ? ok(`${patient.base.href} answers in ${Math.round(ms)} ms`)
      : bad(`${patient.base.href} answers ${status}`, 'Is the address right, and the service started?');
  },
};

/** All checks of a service from the outside. If the service does not answer, the report contains only this. */
export const examineFromOutside = async (patient: Patient): Promise<readonly Finding[]> => {
  const findings = await examined(REACHABLE, patient);
  return countBad(findings) > 0
    ? findings
    : [...findings, ...(await examined({ ...NETWORK, ...MONEY }, patient))];
};

/** Examines a service from the outside, step by step, and reports what to fix. */
export const doctor = async ({ words, options, baseUrl }: Call): Promise<Said> => {
  const [word, ...rest] = words;
  if (rest.length > 0) throw new Misused('Give one address.');
  const patient = new Patient(word === undefined ? baseUrl : asAddress(word), keyOf(options));
  const findings = await examineFromOutside(patient);
  const isWell = countBad(findings) === 0;
  return {
    json: { url: patient.base.href, isWell, findings },
    text: reportOf(findings),
    isPainted: true,
    exitCode: isWell ? 0 : 1,
  };
};
