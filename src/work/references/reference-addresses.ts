import { Inject, Injectable } from '@nestjs/common';

import { Clock } from '#kernel/clock';
import { SigningKeys } from '#platform/config/signing-keys';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';

const PURPOSE = 'references';
const GOOD_MS = 24 * 60 * 60_000;

/**
 * Signed addresses of references. Each answer contains a new address, which is valid for a day, or until the reference
 * is deleted.
 */
@Injectable()
export class ReferenceAddresses {
  constructor(
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  urlOf(id: string): string {
    const until = this.clock.now().getTime() + GOOD_MS;
    return `${this.settings.http.publicUrl}/references/${this.keys.seal(PURPOSE, `${id} ${until}`)}`;
  }

  /** The id of the reference, if the address is still valid. */
  idIn(token: string): string | undefined {
    const [id, until] = (this.keys.unseal(PURPOSE, token) ?? '').split(' ', 2);
    return Number(until) > this.clock.now().getTime() ? id : undefined;
  }
}
