export { Canvas } from "./Canvas";
export { startLayout } from "./layout/client";
