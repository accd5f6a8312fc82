import { fixtureOf, hasFixture } from './fixtures';

/** The words of a test, and its file. */
type Proof = readonly [file: string, words: string];

interface Sides {
  /** The test in which the caller sends more, or asks for more, than the price counts. */
  readonly caller: Proof;
  /**
   * The test in which the vendor delivers or counts another quantity than was sold. Absent if no vendor has a part in
   * it, or if the service can't measure it.
   */
  readonly vendor?: Proof;
}

/** The quantities that a pricer counts, by their names. */
export type Sold = Readonly<Record<string, Sides>>;

export interface StartedParties {
  readonly settings: Readonly<Record<string, string>>;
  stop?(): Promise<void>;
}

export interface RouteFixture {
  readonly sold: Sold;
  /** Starts the parties that the route needs beside the sandbox, and returns the settings of the service. */
  start?(): Promise<StartedParties>;
}

/** The fixture of `/v1/agent/titles` is `titles`. */
const nameOf = (path: string): string => path.split('/').at(-1)!;

/** Whether a route is for sale only with settings of its own, such as a model that the default catalog lacks. */
export const needsOwnParties = (path: string): boolean => routeFixtureOf(path)?.start !== undefined;

/** The file `<name>.paid-route.ts` of a route, by its address. */
export const routeFixtureOf = (path: string): RouteFixture | undefined =>
  hasFixture('paid-route', nameOf(path))
    ? fixtureOf<RouteFixture>('paid-route', nameOf(path), {})
    : undefined;
