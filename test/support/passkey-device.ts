import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';

import { isoCBOR } from '@simplewebauthn/server/helpers';

interface Options {
  readonly challenge: string;
  readonly rp?: { readonly id: string };
  readonly rpId?: string;
}

interface Behaviour {
  readonly origin?: string;
  readonly verified?: boolean;
  /** The format of the attestation. Other formats than `none` have a signature by the passkey itself. */
  readonly format?: string;
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

const sha256 = (data: Buffer | string): Buffer => createHash('sha256').update(data).digest();

/** A phone with one passkey (ES256). It can also answer dishonestly. */
export class PasskeyDevice {
  private readonly credential = randomBytes(32);
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly id = this.credential.toString('base64url');

  create({ challenge, rp, rpId }: Options, behaviour: Behaviour = {}): object {
    const { x = '', y = '' } = this.keys.publicKey.export({ format: 'jwk' });
    const key = new Map<number, number | Uint8Array<ArrayBuffer>>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
      [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
    ]);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.credential.length);
    const authData = Buffer.concat([
      this.authenticatorData(rp?.id ?? rpId ?? '', HAS_CREDENTIAL, behaviour),
      Buffer.alloc(16),
      length,
      this.credential,
      isoCBOR.encode(key),
    ]);
    const { format = 'none' } = behaviour;
    const clientData = this.clientData('webauthn.create', challenge, behaviour);
    const signed = Buffer.concat([authData, sha256(clientData)]);
    const sig = createSign('sha256').update(signed).sign(this.keys.privateKey);
    const statement = new Map<string, unknown>([
      ['alg', -7],
      ['sig', new Uint8Array(sig)],
    ]);
    const attestation = new Map<string, unknown>([
      ['fmt', format],
      ['attStmt', format === 'none' ? new Map() : statement],
      ['authData', new Uint8Array(authData)],
    ]);
    return this.answer({
      clientDataJSON: clientData.toString('base64url'),
      attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url'),
      transports: ['internal'],
    });
  }

  get({ challenge, rpId = '' }: Options, behaviour: Behaviour = {}): object {
    const clientData = this.clientData('webauthn.get', challenge, behaviour);
    const authData = this.authenticatorData(rpId, 0, behaviour);
    const signature = createSign('sha256')
      .update(Buffer.concat([authData, sha256(clientData)]))
      .sign(this.keys.privateKey);
    return this.answer({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: signature.toString('base64url'),
    });
  }

  private answer(response: object): object {
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response };
  }

  private clientData(
    type: string,
    challenge: string,
    { origin = 'http://localhost:3999' }: Behaviour,
  ): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }

  private authenticatorData(rpId: string, flags: number, { verified = true }: Behaviour): Buffer {
    return Buffer.concat([
      sha256(rpId),
      Buffer.from([USER_PRESENT | flags | (verified ? USER_VERIFIED : 0)]),
      Buffer.alloc(4),
    ]);
  }
}
