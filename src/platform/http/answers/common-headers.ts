import type { FirstHook } from '../first-hook';
import type { HttpSettings } from '../http.settings';
import { addressOf, routeOptionsOf } from '../routes/route';
import { corsHeaders, securityHeaders } from './browser-headers';

/** The headers of every answer, including refusals. */
export const addHeaders = (settings: HttpSettings): FirstHook => {
  const secure = securityHeaders(settings.http.publicUrl.startsWith('https:'));
  return (request, reply) => {
    // These headers are not set on the raw reply. Node would then merge headers of two sources, which costs more than
    // all these headers together.
    void reply.header('x-request-id', request.id).headers(secure);
    const address = addressOf(request);
    const { headers } = routeOptionsOf(request);
    if (headers !== undefined) void reply.headers(headers);
    const cors = corsHeaders(address);
    if (cors !== undefined) void reply.headers(cors);
  };
};
