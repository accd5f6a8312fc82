import type { PartySettings } from '#platform/config/party';
import { vendorOf } from '#models/providers/vendors';
import type { Seller } from './price-book';

/** A configured provider in the book. */
export const sellerOf = (own: PartySettings): Seller => {
  const { book } = vendorOf(own);
  const { baseUrl } = own.access;
  return book === undefined
    ? { providerApiUrl: typeof baseUrl === 'string' ? baseUrl : '' }
    : { providerId: book };
};
