import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';

import { SigningKeys } from '#platform/config/signing-keys';
import { WebhookEndpointRepository } from './webhook-endpoint.repository';
import { WebhookSecrets } from './webhook-secrets';

const AT_ONCE = 500;

/**
 * While the signing secret changes: each start encrypts webhook secrets with the new one, so that the old one can be
 * removed.
 */
@Injectable()
export class WebhookSecretReencryption implements OnApplicationBootstrap {
  private readonly logger = new Logger(WebhookSecretReencryption.name);

  constructor(
    private readonly keys: SigningKeys,
    private readonly endpoints: WebhookEndpointRepository,
    private readonly secrets: WebhookSecrets,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (!this.keys.isChanging) return;
    let count = 0;
    for (let after = '', page; (page = await this.endpoints.secretsAfter(after, AT_ONCE)).length > 0;) {
      for (const one of page) {
        const resealed = this.secrets.resealed(one.endpointId, one.sealed);
        if (resealed === undefined) continue;
        await this.endpoints.reseal(one, resealed);
        count += 1;
      }
      after = page.at(-1)!.id;
    }
    this.logger.log(
      `${count} webhook secrets were encrypted again: SIGNING_SECRET alone decrypts all of them.`,
    );
  }
}
