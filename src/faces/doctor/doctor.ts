import 'reflect-metadata';

import { Logger } from '@nestjs/common';

import { examineFromOutside } from '../../../clients/typescript/src/cli/doctor';
import { countBad, examined, reportOf } from '../../../clients/typescript/src/cli/findings';
import { Patient } from '../../../clients/typescript/src/cli/patient';
import { commandOf } from '#platform/config/own-command';
import { BadSettings } from '#platform/config/variables';
import { type Settings, settingsOfProcess } from '../../settings';
import { ADDRESS_CHECKS, isRunning } from './address-checks';
import { DATA_CHECKS, closeDatabase } from './data-checks';
import { OUTSIDE_CHECKS } from './outside-checks';
import { SETTING_CHECKS } from './setting-checks';

const HELP = `Usage: ${commandOf('doctor')} [--json] [--key lp_…]
Examines the settings and the parties that they name, and the service if it runs. It spends nothing.

  --json     Prints the findings for programs.
  --key      A key of an account. With it, receipts are verified too.
`;

/** Findings ask for `--key`, the option of the command that examines from the outside. A key alone is enough here. */
const OPTIONS = new Set(['--json', '--key']);

const refuse = (message: string): never => {
  process.stderr.write(`${message}\n${HELP}`);
  process.exit(2);
};

/** The options, and a key of an account for the checks that need one. */
const read = (): { readonly isJson: boolean; readonly key: string | undefined } => {
  const [key, ...rest] = process.argv.slice(2).filter((word) => !OPTIONS.has(word));
  if (key === '--help') {
    process.stdout.write(HELP);
    process.exit(0);
  }
  const unknown = key !== undefined && !key.startsWith('lp_') ? key : rest[0];
  if (unknown !== undefined) refuse(`The doctor does not know "${unknown}".`);
  return { isJson: process.argv.includes('--json'), key };
};

const CHECKS = { ...SETTING_CHECKS, ...DATA_CHECKS, ...OUTSIDE_CHECKS, ...ADDRESS_CHECKS };

const isVerbose = ({ logLevel }: Settings): boolean => logLevel === 'debug' || logLevel === 'trace';

/**
 * Checks the settings and the parties that they name, before the service starts or while it runs, and reports the
 * remedies.
 */
const main = async (): Promise<void> => {
  const { isJson, key } = read();
  const settings = settingsOfProcess();
  // The findings contain what the parts would log.
  if (!isVerbose(settings)) Logger.overrideLogger(false);
  const own = await examined(CHECKS, settings);
  await closeDatabase(settings);
  const findings = (await isRunning(settings))
    ? [...own, ...(await examineFromOutside(new Patient(settings.http.publicUrl, key)))]
    : own;
  process.stdout.write(`${isJson ? JSON.stringify({ findings }) : reportOf(findings)}\n`);
  process.exit(countBad(findings) === 0 ? 0 : 1);
};

main().catch((error: unknown) => {
  process.stderr.write(
    `${error instanceof BadSettings ? error.message : ((error as Error).stack ?? String(error))}\n`,
  );
  process.exit(1);
});
