import 'reflect-metadata';

import { Logger } from '@nestjs/common';

import { examineFromOutside } from '../../../clients/typescript/src/cli/doctor';
import { countBad, examined, reportOf } from '../../../clients/typescript/src/cli/findings';
import { Patient } from '../../../clients/typescript/src/cli/patient';
import { BadSettings } from '#platform/config/variables';
import { type Settings, settingsOfProcess } from '../../settings';
import { ADDRESS_CHECKS, isRunning } from './address-checks';
import { DATA_CHECKS } from './data-checks';
import { OUTSIDE_CHECKS } from './outside-checks';
import { SETTING_CHECKS } from './setting-checks';

/** A key of an account, for checks that need one. */
const KEY = process.argv.slice(2).find((word) => word.startsWith('lp_'));

const CHECKS = { ...SETTING_CHECKS, ...DATA_CHECKS, ...OUTSIDE_CHECKS, ...ADDRESS_CHECKS };

const isVerbose = ({ logLevel }: Settings): boolean => logLevel === 'debug' || logLevel === 'trace';

/**
 * Checks the settings and the parties that they name, before the service starts or while it runs, and reports the
 * remedies.
 */
const main = async (): Promise<void> => {
  const settings = settingsOfProcess();
  // The findings contain what the parts would log.
  if (!isVerbose(settings)) Logger.overrideLogger(false);
  const own = await examined(CHECKS, settings);
  const findings = (await isRunning(settings))
    ? [...own, ...(await examineFromOutside(new Patient(settings.http.publicUrl, KEY)))]
    : own;
  const isJson = process.argv.includes('--json');
  process.stdout.write(`${isJson ? JSON.stringify({ findings }) : reportOf(findings)}\n`);
  process.exit(countBad(findings) === 0 ? 0 : 1);
};

main().catch((error: unknown) => {
  process.stderr.write(
    `${error instanceof BadSettings ? error.message : ((error as Error).stack ?? String(error))}\n`,
  );
  process.exit(1);
});
