// Resident memory under a steady load; `MINUTES=10` for the whole length.
import { burst } from '../lib/load.mjs';
import { startService } from '../lib/service.mjs';

export const about = 'memory under load (aim: flat after 10 minutes; MINUTES sets the length, default 2)';

const REQUEST = {
  path: '/v1/agent/quote',
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"modelId":"torch-video","duration":8}',
};
const SAMPLES = 8;

export const run = async () => {
  const minutes = Number(process.env.MINUTES ?? 2);
  const service = await startService();
  try {
    for (let sample = 1; sample <= SAMPLES; sample += 1) {
      const seconds = Math.max(1, Math.round((minutes * 60) / SAMPLES));
      const { perSecond, bad } = await burst({
        url: service.url,
        request: REQUEST,
        connections: 16,
        seconds,
      });
      const at = ((sample * seconds) / 60).toFixed(1);
      console.log(
        `after ${at} min: ${Math.round(service.residentBytes() / 1e6)} MB at ${Math.round(perSecond)} req/s${bad ? ` (${bad} bad)` : ''}`,
      );
    }
  } finally {
    await service.stop();
  }
};
