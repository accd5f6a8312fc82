import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';

import { CODE } from './accounts.dto';
import { EMAIL_FIELD } from './email';
import { NEW_PASSWORD } from './password-rules';
import { RECOVERY_CODES } from './second-factor/second-factor-limits';
import {
  FlagField,
  ListField,
  NoSlipOf,
  ObjectField,
  SchemaField,
  TextField,
  WhenField,
  WholeField,
} from '#platform/http/routes/fields';

/** The secrets of the owner. A thief of the session does not have them. */
@NoSlipOf('code')
export class ProofBody {
  @TextField({ min: 1, max: 200 }) readonly password: string;
  @TextField(CODE) readonly code?: string;
}

export class ForgotBody {
  @TextField(EMAIL_FIELD) readonly email: string;
}

export class ResetBody {
  @TextField({ min: 1, max: 100, about: 'The part of the link after `#`.' }) readonly token: string;
  @TextField(NEW_PASSWORD) readonly password: string;
}

export class ResetAnswer {
  @FlagField() readonly ok: boolean;
  @WholeField({ min: 0, max: 100, about: 'The passkeys of the account, which stay valid.' })
  readonly passkeys: number;
}

export class SecondFactorStartAnswer {
  @TextField({ max: 100, about: 'For typing into the app.' }) readonly secret: string;
  @TextField({ max: 1_000, about: 'The `otpauth:` address, for the app.' }) readonly address: string;
  @TextField({ max: 60_000, about: 'The same as a QR code, in SVG.' }) readonly qr: string;
}

export class CodeBody {
  @TextField({ min: 6, max: 10, pattern: '^\\s*\\d{3}\\s*\\d{3}\\s*$', about: 'Six digits of the app.' })
  readonly code: string;
}

export class RecoveryCodesAnswer {
  @SchemaField(
    { about: 'Each replaces one code of the app, once. They are never shown again.' },
    { type: 'array', items: { type: 'string' } },
  )
  readonly recoveryCodes: readonly string[];
}

class SecondFactorAnswer {
  @FlagField({ about: 'Whether a sign-in with the password needs a code.' }) readonly on: boolean;
  @WhenField({ optional: true }) readonly since?: string;
  @WholeField({ min: 0, max: RECOVERY_CODES }) readonly recoveryCodesLeft: number;
}

export class PasskeyAnswer {
  @TextField({ max: 1_500 }) readonly id: string;
  @TextField({ max: 100 }) readonly name: string;
  @WhenField() readonly createdAt: string;
  @WhenField({ optional: true, about: 'The last sign-in with it.' }) readonly usedAt?: string;
}

export class SecurityAnswer {
  @ObjectField(() => SecondFactorAnswer, { about: 'The authenticator app.' })
  readonly secondFactor: SecondFactorAnswer;
  @ListField(() => PasskeyAnswer, { about: 'The newest first.' }) readonly passkeys: readonly PasskeyAnswer[];
  @FlagField({ about: 'Whether browsers can make passkeys for the address of this service.' })
  readonly passkeysPossible: boolean;
}

/** The options that a browser needs, as `@simplewebauthn/browser` takes them. */
export class PasskeyOptionsAnswer {
  @SchemaField(
    { about: 'For `navigator.credentials`, as JSON.' },
    { type: 'object', additionalProperties: true },
  )
  readonly options: PublicKeyCredentialCreationOptionsJSON | PublicKeyCredentialRequestOptionsJSON;
}

/** The answer of a browser. The library checks its fields. */
const RESPONSE = {
  type: 'object',
  required: ['id', 'rawId', 'type', 'response', 'clientExtensionResults'],
  properties: {
    id: { type: 'string', minLength: 1, maxLength: 1_500 },
    rawId: { type: 'string', minLength: 1, maxLength: 1_500 },
    type: { type: 'string', enum: ['public-key'] },
    response: { type: 'object', additionalProperties: true },
    clientExtensionResults: { type: 'object', additionalProperties: true },
  },
  additionalProperties: true,
};

export class PasskeyBody {
  @TextField({
    min: 1,
    max: 100,
    pattern: '\\S',
    about: 'A name by which you recognise it.',
    example: 'My phone',
  })
  readonly name: string;
  @SchemaField({ about: 'The result of `navigator.credentials.create`, as JSON.' }, RESPONSE)
  readonly response: RegistrationResponseJSON;
}

export class PasskeySignInBody {
  @SchemaField({ about: 'The result of `navigator.credentials.get`, as JSON.' }, RESPONSE)
  readonly response: AuthenticationResponseJSON;
}

export class PasskeyRemovalBody extends ProofBody {
  @TextField({ min: 1, max: 1_500 }) readonly id: string;
}

export class AddressProofBody {
  @TextField({ min: 1, max: 100, about: 'The part of the mailed link after `#prove=`.' })
  readonly token: string;
}
