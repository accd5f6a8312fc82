declare const brand: unique symbol;

/** A type that a plain value does not match by mistake. */
export type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };
