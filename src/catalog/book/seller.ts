import type { PartySettings } from '../../platform/config/party';
import { vendorOf } from '../../providers/vendors';
import type { Seller } from './price-book';

/** A configured provider in the book. */
export const sellerOf = (own: PartySettings): Seller => {
  const { book } = vendorOf(own);
  return book === undefined ? { providerApiUrl: String(own.access['baseUrl'] ?? '') } : { providerId: book };
};
