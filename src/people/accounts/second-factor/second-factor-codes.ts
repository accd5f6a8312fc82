import { createHash } from 'node:crypto';

import { Inject, Injectable } from '@nestjs/common';
import { Secret, TOTP } from 'otpauth';

import { Clock } from '#kernel/clock';
import { randomBytes } from '#kernel/random';
import { openBox, resealed, sealBox } from '#platform/config/sealed-box';
import { SigningKeys } from '#platform/config/signing-keys';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';
import { RECOVERY_CODES } from './second-factor-limits';

/** The length that RFC 4226 recommends. */
const SECRET_BYTES = 20;
/** Clocks may differ by one step of 30 seconds. */
const WINDOW = 1;
const PURPOSE = 'second factors';
/** Each character is one of 32, so a code has 80 random bits. */
const RECOVERY_CHARS = 16;
/** Letters and digits that do not look like others. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Makes, encrypts and checks the secrets and codes of second factors. */
@Injectable()
export class SecondFactorCodes {
  constructor(
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  /** A new secret, in the form that people type (base32). */
  newSecret(): string {
    return new Secret({ buffer: new Uint8Array(randomBytes(SECRET_BYTES)).buffer }).base32;
  }

  /** The address that an authenticator app reads from the QR code. */
  addressOf(secret: string, email: string): string {
    return this.totp(secret, email).toString();
  }

  /** The time step of a right code; undefined for a wrong one. */
  stepOf(secret: string, code: string): number | undefined {
    const timestamp = this.clock.now().getTime();
    const totp = this.totp(secret, '');
    const delta = totp.validate({ token: code, timestamp, window: WINDOW });
    return delta === null ? undefined : totp.counter({ timestamp }) + delta;
  }

  /** Encrypts a secret for one account. No other account can use the result. */
  seal(accountId: string, secret: string): Buffer {
    return sealBox(this.keys.keysOf(PURPOSE, accountId)[0], secret);
  }

  open(accountId: string, sealed: Buffer): string {
    return openBox(this.keys.keysOf(PURPOSE, accountId), sealed);
  }

  /** Encrypts the secret with the present key. Undefined if it is already encrypted with that key. */
  resealed(accountId: string, sealed: Buffer): Buffer | undefined {
    return resealed(this.keys.keysOf(PURPOSE, accountId), sealed);
  }

  newRecoveryCodes(): readonly string[] {
    return Array.from({ length: RECOVERY_CODES }, () =>
      [...randomBytes(RECOVERY_CHARS)]
        .map((byte) => LETTERS[byte % LETTERS.length])
        .join('')
        .replaceAll(/(.{4})(?=.)/g, '$1-'),
    );
  }

  /** A plain hash is enough, because the code is random. So the codes stay valid when the server's secret changes. */
  recoveryHash(accountId: string, code: string): Buffer {
    const plain = code.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
    return createHash('sha256').update(`${accountId}:${plain}`).digest();
  }

  private totp(secret: string, label: string): TOTP {
    // In this address, a colon would end the name of the issuer, so the port is removed.
    const issuer = this.settings.serviceDomain.replace(/:\d+$/, '');
    return new TOTP({ issuer, label, secret: Secret.fromBase32(secret) });
  }
}
