import type { ListedModel } from '#models/providers/models/listed-model';
import type { RateTexts } from '../rates';

/** A model of a vendor's list, as the database stores it. Without `rates` it is not for sale, and `why` says why. */
export interface OfferedModel extends Omit<ListedModel, 'prices'> {
  /** The vendor's prices at which the model is sold. */
  readonly rates?: RateTexts;
  /** The prices at which it was sold, if it is no longer for sale. */
  readonly lastRates?: RateTexts;
  /** Prices that are too far from the present ones, until an operator agrees to them. */
  readonly held?: RateTexts;
  /** The time at which a list had this price first. An agreement of an earlier time was to an earlier mistake. */
  readonly heldAt?: string;
  /** The day (UTC) on which the model was no longer in the list. */
  readonly goneOn?: string;
  /** Whether its last day has passed, although the list still has it. */
  readonly hasRetired?: boolean;
  /** Set while the list lacks so many models that it may be a mistake. The model is still for sale. */
  readonly missing?: { readonly times: number; readonly at: string };
}
