import { Injectable } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';

import type { Documents } from './openapi-documents';

/** A paid route of another module. */
export interface SoldRoute {
  readonly path: string;
  readonly summary: string;
  /** In USD. */
  readonly price: { readonly min: string; readonly max: string };
}

/** The serialised documents. */
interface Texts {
  readonly agent: string;
  readonly crawlers: string;
  readonly account: string;
  readonly extensions: string;
  readonly hasExtensions: boolean;
  readonly paidResources: readonly string[];
  readonly soldByModules: readonly SoldRoute[];
}

/**
 * The serialised documents. They need all routes, so the service calls `publish` late. They are built at the first
 * request, because this takes a tenth of a start, and a worker gets no requests.
 */
@Injectable()
export class PublishedDocuments {
  private build: () => Documents = () => {
    throw new Error('No document is published yet.');
  };
  private texts?: Texts;

  publish(build: () => Documents): void {
    this.build = build;
  }

  get agent(): string {
    return this.built().agent;
  }

  /** The selection for crawlers. */
  get crawlers(): string {
    return this.built().crawlers;
  }

  get account(): string {
    return this.built().account;
  }

  get extensions(): string {
    return this.built().extensions;
  }

  /** Whether other modules have added routes. */
  get hasExtensions(): boolean {
    return this.built().hasExtensions;
  }

  /** The addresses of paid routes. */
  get paidResources(): readonly string[] {
    return this.built().paidResources;
  }

  /** The paid routes of other modules. */
  get soldByModules(): readonly SoldRoute[] {
    return this.built().soldByModules;
  }

  private built(): Texts {
    return (this.texts ??= asTexts(this.build()));
  }
}

const asTexts = ({ agent, crawlers, account, extensions }: Documents): Texts => {
  const base = agent.servers?.[0]?.url ?? '';
  return {
    agent: JSON.stringify(agent),
    crawlers: JSON.stringify(crawlers),
    account: JSON.stringify(account),
    extensions: JSON.stringify(extensions),
    hasExtensions: Object.keys(extensions.paths).length > 0,
    paidResources: [...soldIn(agent), ...soldIn(extensions)].map(({ path }) => `${base}${path}`),
    soldByModules: soldIn(extensions),
  };
};

interface SoldOperation {
  readonly summary?: string;
  readonly 'x-payment-info'?: { readonly price: { readonly min: string; readonly max: string } };
}

const soldIn = ({ paths }: OpenAPIObject): SoldRoute[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    (Object.values(item as object) as SoldOperation[]).flatMap(({ summary = '', 'x-payment-info': info }) =>
      info === undefined ? [] : [{ path, summary, price: { min: info.price.min, max: info.price.max } }],
    ),
  );
