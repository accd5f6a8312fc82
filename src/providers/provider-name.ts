/** What a provider is called: by its vendor, or by the operator who runs several servers of one kind. */
export type ProviderName = string;
