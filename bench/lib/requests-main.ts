import { yieldProcessor } from '../../cli/yield-processor';
import { paced } from './requests';

/**
 * This program sends requests at a rate until the caller stops it. Its last line of output is the count of requests and
 * answers. It has the same low priority as the server, so that it takes no processor time from triggers. Clients mostly
 * run on other machines.
 */
const [url, rate] = process.argv.slice(2) as [string, string];
const stop = new AbortController();
yieldProcessor();
process.on('SIGTERM', () => stop.abort());
paced(url, Number(rate), stop.signal).then(
  (sent) => {
    console.log(JSON.stringify(sent));
    process.exit(0);
  },
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
