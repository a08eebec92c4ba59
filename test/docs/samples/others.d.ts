/** Packages of others that a page names and that are not installed here. */
declare module '@opentelemetry/sdk-node' {
  export class NodeSDK {
    constructor(options: { serviceName: string });
    start(): void;
  }
}
