import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';

import { Inject, Injectable } from '@nestjs/common';

import { BlobStore } from '#platform/storage/blob-store';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';

/** The last checkpoint that a deployment has signed. */
export interface SignedHead {
  readonly log: number;
  readonly mark: string;
  readonly size: number;
  readonly note: string;
}

/** The deployment that signs under the host of this service, and its newest log. */
interface HostOwner {
  readonly mark: string;
  readonly log: number;
}

const JSON_TYPE = { mime: 'application/json' };

/**
 * Keeps signed checkpoints in the media store, where a restore of the database does not change them. The service
 * overwrites no other blobs with new content.
 */
@Injectable()
export class SignedHeads {
  /** The host of the public address. Origins of this service begin with it. */
  readonly host: string;

  constructor(
    private readonly blobs: BlobStore,
    @Inject(SETTINGS) { http }: HttpSettings,
  ) {
    this.host = new URL(http.publicUrl).host;
  }

  ofDeployment(mark: string): Promise<SignedHead | undefined> {
    return this.read<SignedHead>(`transparency/${mark}`);
  }

  async keep(head: SignedHead): Promise<void> {
    await this.write(`transparency/${head.mark}`, head);
  }

  /** The newest log under this host, even if it belongs to a database that is gone. */
  async newest(): Promise<HostOwner | undefined> {
    return this.read<HostOwner>(this.hostKey);
  }

  async claim(owner: HostOwner): Promise<void> {
    await this.write(this.hostKey, owner);
  }

  private get hostKey(): string {
    return `transparency/host-${createHash('sha256').update(this.host).digest('hex').slice(0, 16)}`;
  }

  private async read<T>(key: string): Promise<T | undefined> {
    const blob = await this.blobs.get(key);
    return blob && (JSON.parse((await buffer(blob.stream)).toString()) as T);
  }

  private async write(key: string, value: object): Promise<void> {
    await this.blobs.put(key, Buffer.from(JSON.stringify(value)), JSON_TYPE);
  }
}
