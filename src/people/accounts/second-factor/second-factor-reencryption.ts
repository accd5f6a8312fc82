import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';

import { SigningKeys } from '#platform/config/signing-keys';
import { SecondFactorCodes } from './second-factor-codes';
import { SecondFactorRepository } from './second-factor.repository';

const AT_ONCE = 500;

/**
 * During a change of the signing secret, each start encrypts all second factors with the new secret. Then operators can
 * remove the old one.
 */
@Injectable()
export class SecondFactorReencryption implements OnApplicationBootstrap {
  private readonly logger = new Logger(SecondFactorReencryption.name);

  constructor(
    private readonly keys: SigningKeys,
    private readonly factors: SecondFactorRepository,
    private readonly codes: SecondFactorCodes,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (!this.keys.isChanging) return;
    let count = 0;
    for (let after = '', page; (page = await this.factors.after(after, AT_ONCE)).length > 0;) {
      for (const one of page) {
        const resealed = this.codes.resealed(one.accountId, one.sealed);
        if (resealed === undefined) continue;
        await this.factors.reseal(one, resealed);
        count += 1;
      }
      after = page.at(-1)!.accountId;
    }
    this.logger.log(
      `${count} second factors were encrypted again: SIGNING_SECRET alone decrypts all of them.`,
    );
  }
}
