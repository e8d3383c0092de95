const begin = (root = document) => parts.forEach((part) => part(root));
window.document$ ? document$.subscribe(() => begin()) : begin();
