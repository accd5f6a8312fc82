import { Injectable } from '@nestjs/common';

import { DelegatedKeysService } from '#people/delegation/delegated-keys.service';
import { AppError } from '#kernel/app-error';
import { KeyLookup } from '#people/keys/key-lookup';
import { KeyRepository } from '#people/keys/key.repository';

/** The keys of connected apps. A grant lives as long as its key, and may do what its key may do. */
@Injectable()
export class AppKeys {
  constructor(
    private readonly keys: KeyRepository,
    private readonly authority: KeyLookup,
    private readonly delegated: DelegatedKeysService,
  ) {}

  /** Whether a call with the key would be served: it is enabled and not expired, and its account is open. */
  async isAlive(id: string): Promise<boolean> {
    const found = await this.keys.ofApp(id);
    if (found === undefined) return false;
    try {
      await this.authority.identifyHash(found.hash.toString('base64'));
      return true;
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  }

  end(id: string): Promise<void> {
    return this.delegated.endApp(id);
  }
}
