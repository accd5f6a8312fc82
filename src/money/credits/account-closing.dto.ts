import { ProofBody } from '#people/accounts/security.dto';
import { AmountField, FlagField, ListField, TextField, WholeField } from '#platform/http/routes/fields';

class EndingOrganisation {
  @TextField({ max: 60 }) readonly id: string;
  @TextField({ max: 254 }) readonly name: string;
  @FlagField({ about: 'Whether it is your own account.' }) readonly personal: boolean;
  @WholeField({ min: 0, max: 1_000_000, about: 'Other people who lose their access.' })
  readonly otherMembers: number;
  @AmountField({ about: 'The balance, reserved money included.' }) readonly balanceMicro: number;
}

class OwnerlessOrganisation {
  @TextField({ max: 60 }) readonly id: string;
  @TextField({ max: 254 }) readonly name: string;
}

export class ClosingAnswer {
  @AmountField({ about: 'The balance that would be left, in micro-USD.' })
  readonly leaveMicro: number;
  @ListField(() => EndingOrganisation, {
    about: 'The organisations that end: your own, and those without other members.',
  })
  readonly organisations: readonly EndingOrganisation[];
  @ListField(() => OwnerlessOrganisation, {
    about: 'Organisations with other members, of which you are the last owner. Each needs another one first.',
  })
  readonly needOwner: readonly OwnerlessOrganisation[];
}

export class ClosingOrganisationAnswer {
  @TextField({ max: 60 }) readonly id: string;
  @TextField({ max: 254 }) readonly name: string;
  @AmountField({ about: 'The balance that would be left behind, reserved money included, in micro-USD.' })
  readonly leaveMicro: number;
  @WholeField({ min: 0, max: 1_000_000, about: 'Other people who lose their access.' })
  readonly otherMembers: number;
  @WholeField({ min: 0, max: 1_000_000, about: 'Keys that are deleted.' }) readonly keys: number;
}

export class CloseBody extends ProofBody {
  @AmountField({
    about:
      'The balance that you leave behind, as `previewAccountClosing` or `previewOrganisationClosing` shows it.',
  })
  readonly leaveMicro: number;
}

export class ClosedAnswer {
  @FlagField() readonly ok: boolean;
  @AmountField({ about: 'The balance that was left, in micro-USD.' }) readonly leftMicro: number;
}
