export declare function collect(region: string, day: string): Promise<string>;
export declare function send(report: string): Promise<void>;
