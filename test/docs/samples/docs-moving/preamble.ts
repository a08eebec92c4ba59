declare const connection: import('@temporalio/client').Connection;
