import { rm } from 'node:fs/promises';

import { Inject, Injectable, Logger } from '@nestjs/common';

import { type Guest, Slots } from '#kernel/slots';
import { packageVersion } from '../config/package-version';
import { SigningKeys } from '../config/signing-keys';
import { CredentialsMetrics } from './credentials.metrics';
import { coseSignature, signatureBytes } from './cose-signature';
import { readInChild, signInThread } from './manifest-thread';
import { SigningCertificate } from './signing-certificate';
import { SETTINGS } from '../config/settings';
import type { CredentialSettings } from './credentials.settings';

/** The media types of results that carry a manifest. */
const TYPES: readonly string[] = ['image/png', 'image/jpeg', 'image/webp', 'video/mp4'];

const MADE_BY_A_MODEL = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia';

/** The largest file to sign: the library holds it in memory, with copies. */
const SIGNED_BYTES_MAX = 128 * 1024 * 1024;
const SIGN_LIMITS = { milliseconds: 60_000, heapMb: 512 };
const READ_LIMITS = { milliseconds: 20_000, heapMb: 128, memoryMb: 640 };
/** The most concurrent signings and readings. Each keeps a core busy, and takes memory for its file. */
const SIGNINGS_MAX = 2;
const READINGS_MAX = 2;

export interface Credential {
  /** The name of the model that made the result. */
  readonly model: string;
  readonly madeAt: Date;
  /** The address at which anybody can query the file's origin. */
  readonly provenance: string;
}

export interface ReadManifest {
  readonly manifest: 'valid' | 'invalid' | 'absent';
  /** The name in the last signer's certificate. */
  readonly issuer?: string;
  /** Whether this deployment signed it. */
  readonly isOurs?: boolean;
}

/** Signs results with C2PA manifests, and reads manifests of any file. */
@Injectable()
export class ContentCredentials {
  private readonly logger = new Logger(ContentCredentials.name);
  private readonly signings = new Slots(SIGNINGS_MAX);
  private readonly readings = new Slots(READINGS_MAX, { forGuests: 1 });
  private certificates?: Promise<readonly [SigningCertificate, ...SigningCertificate[]]>;

  constructor(
    private readonly keys: SigningKeys,
    private readonly metrics: CredentialsMetrics,
    @Inject(SETTINGS) private readonly settings: CredentialSettings,
  ) {}

  canSign(mime: string): boolean {
    return TYPES.includes(mime);
  }

  /**
   * Writes a signed copy beside the file, and returns its path. It returns undefined if signing fails, because a result
   * without a manifest is better than no result.
   */
  async sign(
    file: { readonly path: string; readonly bytes: number; readonly mime: string; readonly hint: boolean },
    about: Credential,
    owner: string,
  ): Promise<string | undefined> {
    const signed = `${file.path}-signed`;
    const failure =
      file.bytes > SIGNED_BYTES_MAX
        ? `The file has more than ${SIGNED_BYTES_MAX} bytes.`
        : await this.signings.run(() => this.signTo(signed, file, about), owner).catch(String);
    this.metrics.made(failure === undefined ? 'signed' : 'unsigned');
    if (failure === undefined) return signed;
    this.logger.warn({ reason: failure, mime: file.mime }, 'A result is stored without content credentials.');
    await rm(signed, { force: true });
    return undefined;
  }

  /** Returns undefined if reading took too long. A manifest that the library can't read counts as invalid. */
  async read(bytes: Uint8Array, mime: string, reader: string | Guest): Promise<ReadManifest | undefined> {
    const own = await this.own();
    const anchors = own.map(({ authority }) => authority.toString()).join('\n');
    const answer = await this.readings.run(() => readInChild({ bytes, mime, anchors }, READ_LIMITS), reader);
    if (answer === undefined) return undefined;
    if ('failed' in answer) return { manifest: 'invalid' };
    if (answer.store === undefined) return { manifest: 'absent' };
    const { validation_state: state, active_manifest: active = '', manifests } = answer.store;
    const signer = manifests?.[active]?.signature_info;
    const isValid = state === 'Valid' || state === 'Trusted';
    return {
      manifest: isValid ? 'valid' : 'invalid',
      issuer: (signer?.issuer ?? signer?.common_name)?.slice(0, 200),
      // The authority has issued certificates to others as well, so the serial number must also be equal.
      isOurs: state === 'Trusted' && own.some(({ serial }) => serial === signer?.cert_serial_number),
    };
  }

  private async signTo(
    signed: string,
    file: { readonly path: string; readonly mime: string; readonly hint: boolean },
    about: Credential,
  ): Promise<string | undefined> {
    const [certificate] = await this.own();
    const { path, mime, hint } = file;
    const definition = {
      created: definitionOf('c2pa.created', about),
      published: definitionOf('c2pa.published', about),
    };
    const signing = {
      path,
      mime,
      hint,
      signed,
      definition,
      algorithm: certificate.algorithm,
      reserve: signatureBytes(certificate),
    };
    return signInThread(signing, SIGN_LIMITS, (bytes) => coseSignature(bytes, certificate));
  }

  /** The certificate that signs, and a second one while the signing secret changes. */
  private own(): Promise<readonly [SigningCertificate, ...SigningCertificate[]]> {
    this.certificates ??= this.load();
    return this.certificates;
  }

  private async load(): Promise<readonly [SigningCertificate, ...SigningCertificate[]]> {
    const { certificate, key } = this.settings.contentCredentials;
    if (certificate !== undefined && key !== undefined) return [SigningCertificate.read(certificate, key)];
    const [seed, ...others] = this.keys.keys('content credentials');
    const first = await SigningCertificate.forDevelopment(seed);
    return [first, ...(await Promise.all(others.map((other) => SigningCertificate.forDevelopment(other))))];
  }
}

/** The statements of a manifest. Nothing else that is known about the result may be in it. */
const definitionOf = (action: string, { model, madeAt, provenance }: Credential): object => ({
  claim_generator_info: [{ name: 'Lamppost', version: packageVersion() }],
  assertions: [
    {
      label: 'c2pa.actions.v2',
      data: {
        actions: [
          {
            action,
            when: madeAt.toISOString(),
            digitalSourceType: MADE_BY_A_MODEL,
            softwareAgent: { name: model },
          },
        ],
      },
    },
    // The address is a text, so that it can be found in the bytes of a file.
    { label: 'org.lamppost.provenance', kind: 'Json', data: { provenance } },
  ],
});
