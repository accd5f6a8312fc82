import { WholeField } from '#platform/http/routes/fields';
import { PageQuery } from '#platform/http/routes/page-query';

/** The query of a list of keys, which includes ended ones. */
export class KeyPageQuery extends PageQuery {
  @WholeField({ min: 1, max: 200, default: 100, optional: true }) override readonly limit: number;
}
