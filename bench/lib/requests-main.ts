import { yieldProcessor } from '../../cli/yield-processor';
import { paced } from './requests';

/**
 * Sends requests at a rate until the caller stops it. Real callers usually run on other machines, so this process has
 * a lower priority and takes no processor time from firings.
 */
const [url, rate] = process.argv.slice(2) as [string, string];
yieldProcessor();
const stop = new AbortController();
process.on('SIGTERM', () => stop.abort());
paced(url, Number(rate), stop.signal).then(
  () => process.exit(0),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
