/** The name of a provider: set by its vendor, or by an operator who runs several servers of one kind. */
export type ProviderName = string;
